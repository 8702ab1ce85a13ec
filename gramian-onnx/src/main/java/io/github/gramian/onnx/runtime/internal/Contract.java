package io.github.gramian.onnx.runtime.internal;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.onnx.runtime.Int8Target;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Names and shapes of the inputs and outputs of an exported model; a graph of somebody else is refused before it runs. */
public final class Contract {

    /** The metadata with the model's description. */
    public static final String MODEL = "gramian.model";

    /** The metadata with what the model stores about its training images. */
    public static final String REFERENCE = "gramian.reference";

    /** The metadata with the key of the {@link Int8Target} of a rounded file; files in float have none. */
    public static final String INT8_TARGET = "gramian.int8.target";

    /** The metadata of a model of good parts with its {@link io.github.gramian.dense.internal.PhotoReader.Grid}. */
    public static final String GRID = "gramian.grid";

    /** Output [1, 1, rows, columns] of a model of good parts, its only one. */
    public static final String SCORES = "scores";

    /** Output [batch, classes]. */
    public static final String PROBABILITIES = "probabilities";

    /** Output [batch, classes], whose softmax the probabilities are. */
    public static final String LOGITS = "logits";

    /** Output [batch, length]. */
    public static final String DESCRIPTOR = "descriptor";

    /** ONNX Runtime's sign for a dimension that is known when the graph runs. */
    private static final long ANY = -1;

    private Contract() {}

    /**
     * Compares a graph with the model's description.
     *
     * @return how it takes its images
     * @throws IllegalArgumentException with what is different
     */
    static InputKind check(OrtSession session, ModelDescription description) throws OrtException {
        Map<String, NodeInfo> inputs = session.getInputInfo();
        InputKind kind = InputKind.of(List.copyOf(inputs.keySet()));
        List<Preprocessing> scales = description.preprocessing();
        if (inputs.size() != scales.size()) {
            throw new IllegalArgumentException(
                    "it has " + inputs.size() + " inputs and its description " + scales.size() + " scales");
        }
        for (int scale = 0; scale < scales.size(); scale++) {
            checkPort(
                    kind.input(scale),
                    inputs,
                    kind.type(),
                    kind.shape(ANY, scales.get(scale).size()));
        }
        Map<String, NodeInfo> outputs = session.getOutputInfo();
        checkPort(PROBABILITIES, outputs, OnnxJavaType.FLOAT, new long[] {
            ANY, description.classes().size()
        });
        checkPort(DESCRIPTOR, outputs, OnnxJavaType.FLOAT, new long[] {ANY, descriptorLength(description)});
        return kind;
    }

    /** The same for a model of good parts, whose photographs have any size. */
    static InputKind checkPhotographs(OrtSession session) throws OrtException {
        checkPort(InputKind.IMAGES.input(0), session.getInputInfo(), InputKind.IMAGES.type(), new long[] {1, 3, ANY, ANY
        });
        checkPort(SCORES, session.getOutputInfo(), OnnxJavaType.FLOAT, new long[] {1, 1, ANY, ANY});
        return InputKind.IMAGES;
    }

    static int descriptorLength(ModelDescription description) {
        return description.network().descriptorLength(description.inputChannels());
    }

    private static void checkPort(String name, Map<String, NodeInfo> ports, OnnxJavaType type, long[] shape) {
        NodeInfo found = ports.get(name);
        if (found == null || !(found.getInfo() instanceof TensorInfo tensor)) {
            throw new IllegalArgumentException("it has no tensor '" + name + "' but " + ports.keySet());
        }
        if (tensor.type != type || !Arrays.equals(tensor.getShape(), shape)) {
            throw new IllegalArgumentException("'" + name + "' is " + tensor.type + " "
                    + Arrays.toString(tensor.getShape()) + " and must be " + type + " " + Arrays.toString(shape));
        }
    }
}
