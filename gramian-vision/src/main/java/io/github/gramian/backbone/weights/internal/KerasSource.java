package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Keras' HDF5 files: one group per layer, below it datasets such as {@code kernel:0}. Both the weights files and the full models
 * (with a {@code model_weights} group) are read. Names become {@code layer/kernel}, as tfjs writes them too.
 */
final class KerasSource {

    private static final int MAX_NODES = 10_000;
    private static final int MAX_DEPTH = 8;
    private static final String MODEL = "model_weights";

    /** What Keras has called the parts of a layer over the years, by the name it uses today. */
    private static final Map<String, Pattern> PARTS = Map.of(
            "kernel", part("kernel|W"),
            "bias", part("bias|b"),
            "gamma", part("gamma"),
            "beta", part("beta"),
            "moving_mean", part("moving_mean|running_mean"),
            // The first Keras called the variance "running_std", and stored the variance all the same.
            "moving_variance", part("moving_variance|running_std|running_var"));

    private final long fileBytes;
    private final Map<String, SourceTensor> tensors = new LinkedHashMap<>();
    private final List<String> skipped = new ArrayList<>();
    private int nodes;

    private KerasSource(long fileBytes) {
        this.fileBytes = fileBytes;
    }

    private static Pattern part(String names) {
        return Pattern.compile("(?:.*_)?(?:" + names + ")(?:_\\d+)?(?::0)?");
    }

    static SourceWeights open(Path path) throws IOException {
        MappedByteBuffer content = map(path);
        KerasSource reader = new KerasSource(content.capacity());
        HdfFile file = null;
        try {
            file = HdfFile.fromByteBuffer(content);
            Group root = file.getChildren().get(MODEL) instanceof Group model && !model.isLink() ? model : file;
            for (Node layer : root) {
                reader.visit(layer, layer.getName(), 1);
            }
        } catch (WeightsException e) {
            closeQuietly(file);
            throw new WeightsException(path + ": " + e.getMessage(), e);
        } catch (RuntimeException | StackOverflowError e) {
            // The reader of HDF5 checks little: a damaged file ends in an exception of any kind.
            closeQuietly(file);
            throw new WeightsException(
                    path + " is not an HDF5 file that can be read (" + e.getMessage()
                            + "); it is damaged, download it again",
                    e);
        }
        SourceWeights.Notes notes = new SourceWeights.Notes("", OptionalDouble.empty(), reader.skipped);
        return new SourceWeights(SourceFormat.KERAS_H5, reader.tensors, notes, file::close);
    }

    /** In memory, the reader slices the file. From a channel, it would allocate any length that a damaged file claims. */
    private static MappedByteBuffer map(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            if (file.size() > Integer.MAX_VALUE) {
                throw new WeightsException(path + " has more than 2 GB; save the weights as safetensors");
            }
            return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        }
    }

    private static void closeQuietly(@Nullable HdfFile file) {
        if (file != null) {
            file.close();
        }
    }

    private void visit(Node node, String layer, int depth) throws WeightsException {
        if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
            throw new WeightsException("has more groups than any model; the file is rejected");
        }
        // A link can point into another file, or back at its own parent.
        if (node.isLink() || layer.equals("optimizer_weights") || layer.equals("top_level_model_weights")) {
            skipped.add(node.getPath());
        } else if (node instanceof Group group) {
            for (Node child : group) {
                visit(child, layer, depth + 1);
            }
        } else if (node instanceof Dataset dataset) {
            String name = layer + "/" + partOf(dataset.getName());
            if (tensors.put(name, tensor(dataset)) != null) {
                throw new WeightsException("has two datasets for " + name + "; save the model again");
            }
        }
    }

    /** {@code kernel:0}, {@code conv1_W:0} and {@code block1_conv1_W_1:0} are all the kernel. */
    private static String partOf(String dataset) {
        for (Map.Entry<String, Pattern> part : PARTS.entrySet()) {
            Matcher matcher = part.getValue().matcher(dataset);
            if (matcher.matches()) {
                return part.getKey();
            }
        }
        return dataset;
    }

    private SourceTensor tensor(Dataset dataset) throws WeightsException {
        List<Long> shape =
                Arrays.stream(dataset.getDimensions()).mapToObj(Long::valueOf).toList();
        if (dataset.getJavaType() != float.class) {
            throw new WeightsException(dataset.getPath() + " is not float32; save the weights as float32");
        }
        long bytes;
        try {
            bytes = TensorType.F32.bytesOf(
                    shape.stream().mapToLong(Long::longValue).toArray());
        } catch (ArithmeticException e) {
            throw new WeightsException(dataset.getPath() + " has an impossible shape " + shape, e);
        }
        if (bytes > fileBytes) {
            throw new WeightsException(dataset.getPath() + " claims " + bytes + " bytes in a file of " + fileBytes
                    + "; it is damaged or hostile");
        }
        return new SourceTensor(TensorType.F32, shape, () -> read(dataset, shape));
    }

    private static Tensor read(Dataset dataset, List<Long> shape) throws IOException {
        try {
            float[] values = (float[]) dataset.getDataFlat();
            ByteBuffer bytes =
                    ByteBuffer.allocate(Math.multiplyExact(values.length, 4)).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asFloatBuffer().put(values);
            return TensorBytes.read(
                    Channels.newChannel(new ByteArrayInputStream(bytes.array())),
                    TensorType.F32,
                    shape.stream().mapToLong(Long::longValue).toArray());
        } catch (RuntimeException e) {
            throw new WeightsException(dataset.getPath() + " cannot be read (" + e.getMessage() + ")", e);
        }
    }
}
