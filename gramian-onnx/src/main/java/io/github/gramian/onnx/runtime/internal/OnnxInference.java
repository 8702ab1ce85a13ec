package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.github.gramian.certainty.internal.CertaintyFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.DenseFile;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.image.Preprocessing.ChannelOrder;
import io.github.gramian.image.internal.InputPixels;
import io.github.gramian.io.internal.ProtobufMessage;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.Inference;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.ModelMetadata;
import io.github.gramian.onnx.graph.internal.OnnxFile;
import io.github.gramian.onnx.runtime.Int8Target;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** An exported model on ONNX Runtime, in float. */
final class OnnxInference implements Inference {

    /** Of one scale, computed at once: 1 GiB as float. */
    private static final long MAX_VALUES = 1L << 28;

    private static final System.Logger LOG = System.getLogger("io.github.gramian");

    private final ModelDescription description;
    private final String weightsHash;
    private final ModelCertainty reference;
    private final GraphSession graph;
    private final Optional<PhotoReader> photographs;
    private final int threads;
    private final Optional<Int8Target> target;

    private OnnxInference(Path file, OrtSession session, int threads) throws OrtException, ModelException {
        Map<String, String> metadata = metadata(file, session);
        this.description = ModelMetadata.description(metadata);
        this.weightsHash = ModelMetadata.weightsHash(metadata);
        this.reference = reference(session);
        Optional<String> settings = Optional.ofNullable(metadata.get(DenseFile.KEY));
        Optional<Calibration> good = settings.flatMap(DenseFile::calibration);
        InputKind kind = good.isPresent() ? Contract.checkPhotographs(session) : Contract.check(session, description);
        this.graph = new GraphSession(session, description.preprocessing(), kind);
        this.photographs = good.isPresent()
                ? Optional.of(
                        new OnnxPhotographs(graph, DenseFile.view(settings.orElseThrow()), good.get(), grid(session)))
                : Optional.empty();
        this.threads = threads;
        this.target = target(file, session);
    }

    /**
     * Loads a file and checks that it is what {@code gramian export} writes.
     *
     * @param threads that compute one batch; those of several batches at once add up
     * @param processor kind of this machine's
     */
    static Inference load(Path file, int threads, Int8Target processor) throws IOException {
        long bytes = Files.size(file);
        if (bytes > ProtobufMessage.MAX_BYTES) {
            throw new ModelException(file + " has " + bytes + " bytes, more than an ONNX file may have; export it again"
                    + " with --external-data");
        }
        if (OnnxFile.Seal.isBroken(file)) {
            throw new ModelException(
                    file + " is damaged, or was changed by another program: its checksum does not match;"
                            + " copy or export it again");
        }
        try {
            OnnxInference inference = open(file, threads);
            inference.target.filter(written -> !written.isExactOn(processor)).ifPresent(written -> warn(file, written));
            return inference;
        } catch (OrtException e) {
            throw new ModelException(file + " cannot be loaded: " + e.getMessage() + "; copy or export it again", e);
        }
    }

    /** Once per loaded file, not per image. */
    private static void warn(Path file, Int8Target target) {
        LOG.log(
                Level.WARNING,
                file + " was quantised for processors with VNNI or AMX (" + target.key()
                        + "), which this machine is not known to have; without them sums may saturate and accuracy may"
                        + " drop; export the model again with --int8 IMAGES --target avx2");
    }

    private static OnnxInference open(Path file, int threads) throws OrtException, ModelException {
        OrtSession session = GraphSession.load(file, threads);
        try {
            return new OnnxInference(file, session, threads);
        } catch (OrtException | RuntimeException failure) {
            session.close();
            throw refusal(file, failure);
        }
    }

    /** Describes in one sentence what the description or the graph lacks; other failures are not changed. */
    private static ModelException refusal(Path file, Exception failure) throws OrtException {
        if (failure instanceof ModelException known) {
            return known;
        }
        if (failure instanceof OrtException known) {
            throw known;
        }
        return new ModelException(
                file + " is not a model that gramian exported: " + failure.getMessage()
                        + "; make it with gramian export MODEL --onnx FILE",
                failure);
    }

    private static Map<String, String> metadata(Path file, OrtSession session) throws OrtException, ModelException {
        String text = session.getMetadata()
                .getCustomMetadataValue(Contract.MODEL)
                .orElseThrow(() -> new IllegalArgumentException("its metadata lacks " + Contract.MODEL));
        Map<String, String> metadata = ModelMetadata.fromJson(text);
        ModelMetadata.check(file, metadata);
        return metadata;
    }

    private static ModelCertainty reference(OrtSession session) throws OrtException {
        return session.getMetadata()
                .getCustomMetadataValue(Contract.REFERENCE)
                .map(CertaintyFile::read)
                .orElseGet(ModelCertainty::none);
    }

    private static PhotoReader.Grid grid(OrtSession session) throws OrtException {
        String text = session.getMetadata()
                .getCustomMetadataValue(Contract.GRID)
                .orElseThrow(() -> new IllegalArgumentException("its metadata lacks " + Contract.GRID));
        try {
            return Json.value(text.getBytes(StandardCharsets.UTF_8), PhotoReader.Grid.class);
        } catch (IOException e) {
            throw new IllegalArgumentException("its " + Contract.GRID + " cannot be read", e);
        }
    }

    private static Optional<Int8Target> target(Path file, OrtSession session) throws OrtException, ModelException {
        Optional<String> key = session.getMetadata().getCustomMetadataValue(Contract.INT8_TARGET);
        Optional<Int8Target> target = key.flatMap(Int8Target::ofKey);
        if (key.isPresent() && target.isEmpty()) {
            throw new ModelException(file + " was quantised for '" + key.get()
                    + "' processors, which this version does not support; install a newer version of Gramian");
        }
        return target;
    }

    @Override
    public ModelDescription description() {
        return description;
    }

    @Override
    public String weightsHash() {
        return weightsHash;
    }

    @Override
    public KnownImages knownImages() {
        return KnownImages.none();
    }

    @Override
    public ModelCertainty reference() {
        return reference;
    }

    @Override
    public Precision precision() {
        return Precision.FLOAT;
    }

    @Override
    public String engine() {
        return "ONNX Runtime " + OrtEnvironment.getEnvironment().getVersion() + ", " + threads + " threads"
                + target.map(written -> ", int8 for " + written.key()).orElse("");
    }

    @Override
    public ChannelOrder channelOrder() {
        return graph.channelOrder();
    }

    @Override
    public Optional<PhotoReader> photographs() {
        return photographs;
    }

    @Override
    public Answers answers(List<InputPixels> scales, int views, boolean describe) {
        if (photographs.isPresent()) {
            throw new IllegalStateException("a model of good parts answers whole photographs only");
        }
        List<Answers> parts =
                parts(scales).stream().map(part -> part(part, views, describe)).toList();
        return parts.size() == 1 ? parts.get(0) : GraphSession.Rows.together(parts);
    }

    /** Images that are computed at once: a tensor of ONNX Runtime's has less than 2 GiB. */
    private static List<List<InputPixels>> parts(List<InputPixels> scales) {
        long most = scales.stream().mapToLong(InputPixels::length).max().orElse(0);
        int images = scales.get(0).images().size();
        int atOnce = (int) Math.max(1, most == 0 ? images : Math.min(images, images * MAX_VALUES / most));
        List<List<InputPixels>> parts = new ArrayList<>();
        for (int start = 0; start == 0 || start < images; start += atOnce) {
            int from = start;
            int to = Math.min(images, start + atOnce);
            parts.add(scales.stream().map(scale -> scale.images(from, to)).toList());
        }
        return parts;
    }

    private Answers part(List<InputPixels> scales, int views, boolean describe) {
        Map<String, float[][]> found = graph.run(
                scales,
                views,
                describe ? Set.of(Contract.PROBABILITIES, Contract.DESCRIPTOR) : Set.of(Contract.PROBABILITIES));
        float[][] probabilities = Objects.requireNonNull(found.get(Contract.PROBABILITIES));
        return new Answers(probabilities, found.getOrDefault(Contract.DESCRIPTOR, new float[probabilities.length][0]));
    }

    @Override
    public void close() {
        graph.close();
    }
}
