package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.internal.NamePattern;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.DenseParts;
import io.github.gramian.dense.internal.Surface;
import io.github.gramian.dense.internal.SurfaceFit;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.feature.internal.ContentKey;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.KnownImages;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.TrainingImages;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Learns from photographs of good parts alone what a defect is. The model says how unlike the good parts each place of a
 * photograph is, and raises an alarm for at most a given share of good photographs.
 *
 * @param images directory of the photographs
 * @param weights of the backbone
 * @param groups regular expression for the path of a photograph; its first capture group names the object that it shows. null
 *     if every photograph shows another one
 * @param shortSide shorter side of a photograph as the network sees it, in pixels
 * @param alarms share of good photographs that may raise an alarm
 */
public record GoodTraining(
        Path images, Path weights, @Nullable String groups, int shortSide, double alarms) {

    /** The classes of such a model, in this order. */
    public static final List<String> CLASSES = List.of("good", "defect");

    /** Strides of the layers whose features are compared: fine enough for small defects, deep enough to know patterns. */
    private static final List<Integer> STRIDES = List.of(8, 16);

    /** Reduced maps of all photographs that are held in memory; of more photographs they are computed twice. */
    private static final long MAX_BYTES = 1L << 31;

    /** A saved model looks at whole photographs, and its network is used for nothing else. */
    private static final int UNUSED_SIZE = 224;

    public GoodTraining {
        if (shortSide < 64 || shortSide > 4096) {
            throw new IllegalArgumentException("the shorter side must have 64..4096 pixels, not " + shortSide);
        }
    }

    /**
     * The result.
     *
     * @param model the file of the model
     * @param photographs number of good photographs
     * @param objects number of independent objects among them
     * @param unusual the good photographs that score highest, with their scores
     */
    public record Result(Path model, int photographs, int objects, Map<String, Double> unusual) {}

    /** A good photograph: its path below the directory, its hash, and the number of the object that it shows. */
    private record Good(Path file, String name, String sha256, int object) {}

    /**
     * Trains, and writes the model into a run directory.
     *
     * @param listener receives the progress, and a note about each file that is left out
     */
    public Result into(Path directory, TrainingListener listener) throws IOException {
        RunFolder folder = new RunFolder(directory);
        if (Files.exists(folder.recipe())) {
            throw new IllegalArgumentException(
                    directory + " is the directory of another training; give a new one with --out");
        }
        ImageDecoder decoder = ImageDecoder.forLocalFiles();
        List<Good> good = good(decoder, note -> listener.onEvent(new TrainingEvent.Note(note)));
        try (ConvolutionalBackbone backbone = backbone()) {
            WholePhoto view =
                    new WholePhoto(new Resize.ShortSide(shortSide), Interpolation.BILINEAR, backbone.normalisation());
            List<String> taps = layers(backbone);
            SurfaceFit fit = new SurfaceFit(
                    taps, taps.stream().map(tap -> backbone.tap(tap).channels()).toList());
            Surface surface;
            try (Photographs photographs = new Photographs(good, decoder, view, backbone, fit, listener)) {
                surface = fit.fit(
                                photographs,
                                good.stream().mapToInt(Good::object).toArray())
                        .withRate(alarms);
            }
            AtomicFile.makeFolder(directory);
            write(folder, backbone, new DenseParts(view, Optional.empty(), Optional.of(surface)), good);
            return new Result(
                    folder.model(),
                    good.size(),
                    surface.parts().calibration().objects(),
                    scores(folder, good, surface.parts().calibration()));
        }
    }

    private ConvolutionalBackbone backbone() throws IOException {
        return WeightsFile.load(weights, BackboneOptions.frozen(Precision.FLOAT));
    }

    /** The deepest layer of each stride. */
    private static List<String> layers(Backbone backbone) {
        return STRIDES.stream()
                .map(stride -> backbone.lastOfStride(stride)
                        .map(Tap::name)
                        .orElseThrow(() -> new IllegalArgumentException(backbone.name() + " has no layer of stride "
                                + stride + "; use a convolutional network such as resnet50")))
                .toList();
    }

    /** The photographs that can be read; copies of the same bytes count once, since they are one photograph. */
    private List<Good> good(ImageDecoder decoder, Consumer<String> notes) throws IOException {
        List<Path> files = Layouts.images(images, notes);
        Optional<NamePattern> pattern = Optional.ofNullable(groups).map(NamePattern::of);
        Map<String, Integer> objects = new HashMap<>();
        Map<String, Good> good = new LinkedHashMap<>();
        for (Path file : files) {
            String name = images.relativize(file).toString();
            if (decoder.aspect(file).isEmpty()) {
                notes.accept(name + " is left out: it cannot be read");
                continue;
            }
            String object = pattern.map(one -> one.find(name)
                            .orElseThrow(() -> new DatasetException(
                                    "the pattern of the groups, " + groups + ", does not fit the path " + name)))
                    .orElse(name);
            String sha256 = ContentKey.ofFile(file).hex();
            int number = objects.computeIfAbsent(object, key -> objects.size());
            if (good.putIfAbsent(sha256, new Good(file, name, sha256, number)) != null) {
                notes.accept(name + " is left out: it is a copy of "
                        + good.get(sha256).name());
            }
        }
        if (good.size() < SurfaceFit.MIN_PHOTOGRAPHS) {
            throw new DatasetException(
                    images + " has " + good.size() + " photographs of good parts that can be read, and "
                            + SurfaceFit.MIN_PHOTOGRAPHS + " are needed; take more");
        }
        Calibration.requireRate(alarms, good.size(), (int)
                good.values().stream().map(Good::object).distinct().count());
        return List.copyOf(good.values());
    }

    /** The reduced maps of the good photographs. */
    private static final class Photographs implements SurfaceFit.Photographs, AutoCloseable {

        private final List<Good> good;
        private final ImageDecoder decoder;
        private final WholePhoto view;
        private final ConvolutionalBackbone backbone;
        private final SurfaceFit fit;
        private final TrainingListener listener;
        private final Map<Integer, List<Tensor>> held = new HashMap<>();
        private long bytes;

        Photographs(
                List<Good> good,
                ImageDecoder decoder,
                WholePhoto view,
                ConvolutionalBackbone backbone,
                SurfaceFit fit,
                TrainingListener listener) {
            this.good = good;
            this.decoder = decoder;
            this.view = view;
            this.backbone = backbone;
            this.fit = fit;
            this.listener = listener;
        }

        @Override
        public int count() {
            return good.size();
        }

        @Override
        public List<Tensor> reduced(int photograph) {
            List<Tensor> known = held.get(photograph);
            if (known != null) {
                return known.stream().map(Scope::share).toList();
            }
            List<Tensor> maps = view.reduced(backbone, pixels(good.get(photograph)), fit);
            listener.onEvent(new TrainingEvent.Features(photograph + 1, good.size()));
            long size =
                    maps.stream().mapToLong(map -> Float.BYTES * map.numel()).sum();
            if (bytes + size <= MAX_BYTES) {
                bytes += size;
                held.put(photograph, maps.stream().map(Scope::own).toList());
            }
            return maps;
        }

        private RgbImage pixels(Good one) {
            WholePhoto.Opened opened = view.open(decoder.open(one.file(), one.sha256()));
            return view.resized(opened)
                    .orElseThrow(() -> new DatasetException(
                            one.name() + ": " + opened.rejected().sentence() + "; remove or replace this photograph"));
        }

        @Override
        public void close() {
            held.values().forEach(maps -> maps.forEach(Scope::disown));
        }
    }

    private void write(RunFolder folder, ConvolutionalBackbone backbone, DenseParts parts, List<Good> good)
            throws IOException {
        String tap = parts.surface().orElseThrow().taps().get(0);
        NetworkConfig config = new NetworkConfig(List.of(BranchConfig.average(tap, UNUSED_SIZE)), 1).on(backbone);
        List<Integer> channels = List.of(backbone.tap(tap).channels());
        Map<String, String> provenance = new TreeMap<>();
        provenance.put("gramian", GramianVersion.text());
        provenance.put("libtorch", Engine.describe().version());
        provenance.put("java", Runtime.version().toString());
        provenance.put("good", Json.text(Map.of("shortSide", shortSide, "alarms", alarms, "photographs", good.size())));
        provenance.put(
                "data.sha256",
                Sha256.of(good.stream().map(Good::sha256).sorted().toList().toString()));
        provenance.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        ModelDescription description = new ModelDescription(
                config,
                channels,
                CLASSES,
                new ModelDescription.BackboneNote(backbone.name(), backbone.weightsHash(), Precision.FLOAT, true),
                List.of(Preprocessing.squeeze(UNUSED_SIZE, Interpolation.BILINEAR, backbone.normalisation())),
                Optional.empty(),
                provenance);
        KnownImages known = KnownImages.of(good.stream().map(Good::sha256).toList());
        try (Network network =
                        new Network(config, channels, CLASSES.size(), Placement.cpu(Precision.FLOAT), new Seed(1));
                SafetensorsFile file = SafetensorsFile.open(weights)) {
            StoredModel.write(
                    folder.model(),
                    description,
                    network,
                    file::tensor,
                    new TrainingImages(known, ModelCertainty.none(), Optional.of(parts)));
        }
    }

    /** Writes the score of each good photograph by a fit without it, and returns the highest ones. */
    private static Map<String, Double> scores(RunFolder folder, List<Good> good, Calibration calibration)
            throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        List<Integer> order = IntStream.range(0, good.size())
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -calibration.scores()[i]))
                .toList();
        List<Map<String, Object>> lines = new ArrayList<>();
        Map<String, Double> unusual = new LinkedHashMap<>();
        for (int i : order) {
            double score = calibration.scores()[i];
            lines.add(Json.members(
                    Map.entry("file", good.get(i).name()),
                    Map.entry("score", score),
                    Map.entry("object", good.get(i).object())));
            if (unusual.size() < 3) {
                unusual.put(good.get(i).name(), score);
            }
        }
        all.put("alarms", calibration.rate());
        all.put("objects", calibration.objects());
        all.put("good", lines);
        AtomicFile.writeText(folder.path().resolve("good.json"), Json.indented(all));
        return unusual;
    }
}
