package io.github.gramian.onnx.graph.internal;

/** The element types of tensors in an ONNX graph, with ONNX's code for each. */
public enum ElementType {
    FLOAT(1, 4),
    UINT8(2, 1),
    INT8(3, 1),
    INT32(6, 4),
    INT64(7, 8);

    private final int code;
    private final int bytes;

    ElementType(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** {@code TensorProto.DataType}. */
    int code() {
        return code;
    }

    /** Bytes an element takes. */
    public int bytes() {
        return bytes;
    }
}
