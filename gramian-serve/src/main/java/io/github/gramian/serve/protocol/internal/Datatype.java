package io.github.gramian.serve.protocol.internal;

/** The protocol's types of tensor elements that images come in and answers go out in. */
public enum Datatype {
    /** Byte strings: an encoded image each, or a string. */
    BYTES(0),
    UINT8(1),
    FP32(4),
    /** Only in answers. */
    FP64(8);

    private final int size;

    Datatype(int size) {
        this.size = size;
    }

    /** Bytes of an element; 0 where they differ. */
    int size() {
        return size;
    }

    static Datatype named(String name) {
        for (Datatype one : values()) {
            if (one != FP64 && one.name().equals(name)) {
                return one;
            }
        }
        throw RequestException.malformed("datatype must be BYTES (encoded images), UINT8 or FP32 (pixels), not '"
                + Excerpt.shortened(name) + "'");
    }
}
