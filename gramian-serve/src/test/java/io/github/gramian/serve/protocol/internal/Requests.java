package io.github.gramian.serve.protocol.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Bytes of requests, built according to the specification. */
public final class Requests {

    private Requests() {}

    /** Bytes one after the other. */
    public static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** An element of BYTES: four bytes with its length, the least first, and then the bytes. */
    public static byte[] element(byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(content.length)
                .put(content)
                .array();
    }

    /** The JSON of a request that encoded images follow. */
    public static byte[] binaryHeader(int images, int bytes, String rest) {
        return utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[" + images
                + "],\"datatype\":\"BYTES\",\"parameters\":{\"binary_data_size\":" + bytes + "}}]" + rest + "}");
    }
}
