package io.github.gramian.serve.protocol.internal;

import io.github.gramian.image.codec.RgbImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Makes images of an input tensor. BYTES [n] or [n, 1] are encoded images: base64 in JSON, or a length of 4 bytes and the
 * file each. UINT8 and FP32 [n, height, width, 3] are pixels, red, green, blue, from 0 to 255; floats are rounded to the
 * nearest whole number. Sizes are compared before anything is allocated.
 */
final class TensorReader {

    /** Name of the model's only input. */
    static final String NAME = "image";

    private static final int CHANNELS = 3;

    private final ByteBuffer tail;
    private final InferLimits limits;

    /** @param start where the JSON ends and tensors begin */
    TensorReader(byte[] body, int start, InferLimits limits) {
        this.tail = ByteBuffer.wrap(body, start, body.length - start).slice().order(ByteOrder.LITTLE_ENDIAN);
        this.limits = limits;
    }

    List<ImageInput> images(RawTensor tensor) {
        if (!tensor.name.equals(NAME)) {
            throw RequestException.malformed(
                    "the input is called '" + NAME + "', not '" + Excerpt.shortened(tensor.name) + "'");
        }
        if (tensor.shape.stream().anyMatch(side -> side < 0)) {
            throw RequestException.malformed("shape " + tensor.shape + " has a negative side");
        }
        if (tensor.hasData == tensor.binarySize.isPresent()) {
            throw RequestException.malformed(
                    "an input has either data or the parameter binary_data_size, and not both or neither");
        }
        if (tensor.hasData ? tail.hasRemaining() : tensor.binarySize.getAsLong() != tail.remaining()) {
            throw RequestException.malformed("there are " + tail.remaining()
                    + " bytes after the JSON, but binary_data_size is " + tensor.binarySize.orElse(0));
        }
        Datatype type = Datatype.named(tensor.datatype);
        return type == Datatype.BYTES ? encoded(tensor) : pixels(tensor, type);
    }

    private List<ImageInput> encoded(RawTensor tensor) {
        List<Long> shape = tensor.shape;
        if (shape.isEmpty() || shape.size() > 2 || (shape.size() == 2 && shape.get(1) != 1)) {
            throw RequestException.malformed("encoded images have the shape [n] or [n, 1], not " + shape);
        }
        limits.checkCount(shape.get(0));
        List<ImageInput> images = tensor.hasData ? fromStrings(tensor) : fromBytes();
        if (images.size() != shape.get(0)) {
            throw RequestException.malformed(
                    "the shape is for " + shape.get(0) + " images but there are " + images.size());
        }
        return images;
    }

    private static List<ImageInput> fromStrings(RawTensor tensor) {
        if (tensor.values.count() > 0) {
            throw RequestException.malformed("data of BYTES are strings: each image's file in base64");
        }
        List<ImageInput> images = new ArrayList<>();
        for (String string : tensor.strings) {
            try {
                images.add(new ImageInput.Encoded(Base64.getDecoder().decode(string)));
            } catch (IllegalArgumentException e) {
                throw RequestException.malformed(
                        "an image in JSON must be base64; send raw files after the JSON, or to /predict");
            }
        }
        return images;
    }

    private List<ImageInput> fromBytes() {
        List<ImageInput> images = new ArrayList<>();
        while (tail.hasRemaining()) {
            limits.checkCount(images.size() + 1L);
            long length = tail.remaining() < Integer.BYTES ? -1 : Integer.toUnsignedLong(tail.getInt());
            if (length < 0 || length > tail.remaining()) {
                throw RequestException.malformed(
                        "an element of BYTES is 4 bytes with its length and then as many bytes; element "
                                + images.size() + " is not");
            }
            byte[] content = new byte[(int) length];
            tail.get(content);
            images.add(new ImageInput.Encoded(content));
        }
        return images;
    }

    private List<ImageInput> pixels(RawTensor tensor, Datatype type) {
        List<Long> shape = tensor.shape;
        if (shape.size() != 4 || shape.get(3) != CHANNELS) {
            throw RequestException.malformed("pixels have the shape [n, height, width, 3], not " + shape);
        }
        long height = shape.get(1);
        long width = shape.get(2);
        limits.checkCount(shape.get(0));
        limits.checkSize(width, height);
        long elements = shape.get(0) * height * width * CHANNELS; // n, width · height are limited: no overflow
        long given = tensor.hasData ? tensor.values.count() : tail.remaining() / type.size();
        boolean whole = tensor.hasData || tail.remaining() % type.size() == 0;
        if (!tensor.strings.isEmpty()) {
            throw RequestException.malformed(
                    "data of " + type + " must be numbers, but element " + tensor.firstString + " is a string");
        }
        if (elements != given || !whole) {
            throw RequestException.malformed(
                    tensor.hasData
                            ? "the shape " + shape + " needs " + elements + " values, but data has " + given
                            : "the shape " + shape + " needs " + elements * type.size() + " bytes of " + type
                                    + ", but there are " + tail.remaining());
        }
        List<ImageInput> images = new ArrayList<>();
        int next = 0;
        for (long image = 0; image < shape.get(0); image++) {
            byte[] samples = new byte[(int) (height * width * CHANNELS)];
            for (int i = 0; i < samples.length; i++, next++) {
                samples[i] = tensor.hasData
                        ? sample(tensor.values.get(next), type)
                        : type == Datatype.UINT8 ? tail.get() : sample(tail.getFloat(), type);
            }
            images.add(new ImageInput.Pixels(new RgbImage((int) width, (int) height, samples)));
        }
        return images;
    }

    private static byte sample(float value, Datatype type) {
        boolean fits = value >= 0 && value <= 255; // not a number does not
        if (!fits || (type == Datatype.UINT8 && value != Math.rint(value))) {
            throw RequestException.malformed("a sample of a pixel lies in 0..255"
                    + (type == Datatype.UINT8 ? " and is whole" : "") + ", but one is " + value
                    + "; send pixels as they are, the server normalises them");
        }
        return (byte) Math.round(value);
    }
}
