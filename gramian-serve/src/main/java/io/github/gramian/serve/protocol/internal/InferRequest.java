package io.github.gramian.serve.protocol.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.NeighbourSearch;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for inference, read and checked: JSON alone, JSON with tensors after it, or an image alone (a header of 0 bytes).
 * Anything else is a {@link RequestException}, whatever the bytes are.
 *
 * @param id of the client, to be sent back
 * @param outputs what to answer, in this order
 * @param coverage of sets of classes; empty if none are asked for
 * @param neighbours which photographs of the index are wanted; empty if that output is not asked for
 * @param timeoutMicros time limit set by the client; 0 for none
 */
public record InferRequest(
        Optional<String> id,
        List<ImageInput> images,
        List<OutputRequest> outputs,
        OptionalDouble coverage,
        Optional<NeighbourSearch.Query> neighbours,
        long timeoutMicros) {

    /** More neighbours than a page can show, and few enough for memory. */
    public static final int MAX_NEIGHBOURS = 1000;

    private static final int MAX_ID = 1024;
    private static final int MAX_EXCERPT = 64;

    /** Name of the model's only input. */
    private static final String INPUT = "image";

    private static final int CHANNELS = 3;

    public InferRequest {
        images = List.copyOf(images);
        outputs = List.copyOf(outputs);
    }

    /** One image of a request. */
    public sealed interface ImageInput {

        /** A file's content, to be decoded. */
        @SuppressWarnings("ArrayRecordComponent") // handed over, not stored
        record Encoded(byte[] content) implements ImageInput {}

        record Pixels(RgbImage image) implements ImageInput {}
    }

    /**
     * An output that a request asks for.
     *
     * @param classification number of best classes to return as {@code value:index:label}; 0 to return all values
     * @param binary after the JSON instead of in it
     */
    public record OutputRequest(OutputTensor tensor, int classification, boolean binary) {}

    /**
     * Reads a request.
     *
     * @param headerLength bytes of the JSON, if the request states it in {@code Inference-Header-Content-Length}
     * @param model the optional outputs that the model gives
     */
    public static InferRequest read(byte[] body, OptionalInt headerLength, InferLimits limits, ReferenceOutputs model) {
        int length = headerLength.orElse(body.length);
        if (length < 0 || length > body.length) {
            throw RequestException.malformed(
                    "Inference-Header-Content-Length is " + length + " but the body has " + body.length + " bytes");
        }
        if (length == 0 && headerLength.isPresent()) {
            return raw(body, limits, model);
        }
        InferJson json = InferJson.read(body, length, limits);
        if (json.id != null && json.id.length() > MAX_ID) {
            throw RequestException.malformed("id is longer than " + MAX_ID + " characters");
        }
        OptionalDouble coverage = coverage(json.parameters.coverage);
        long top = json.parameters.top;
        if (top < 1 || top > MAX_NEIGHBOURS) {
            throw RequestException.malformed("top must be a whole number in 1.." + MAX_NEIGHBOURS);
        }
        List<OutputRequest> outputs = json.outputs == null
                ? all(model, coverage.isPresent(), json.parameters.binaryOutput)
                : named(json.outputs, json.parameters.binaryOutput);
        if (json.inputs.size() != 1) {
            throw RequestException.malformed("a request has one input, called 'image', not " + json.inputs.size());
        }
        ByteBuffer tail =
                ByteBuffer.wrap(body, length, body.length - length).slice().order(ByteOrder.LITTLE_ENDIAN);
        List<ImageInput> images = images(json.inputs.get(0), tail, limits);
        requireReference(outputs, coverage, model);
        boolean searches = outputs.stream().anyMatch(output -> output.tensor() == OutputTensor.NEIGHBOURS);
        List<String> filters = json.parameters.filter == null ? List.of() : List.of(json.parameters.filter);
        return new InferRequest(
                Optional.ofNullable(json.id),
                images,
                outputs,
                coverage,
                searches ? Optional.of(new NeighbourSearch.Query((int) top, filters)) : Optional.empty(),
                Math.max(0, json.parameters.timeout));
    }

    /** The body is the one image, and all outputs are wanted as bytes. */
    private static InferRequest raw(byte[] body, InferLimits limits, ReferenceOutputs model) {
        limits.checkCount(body.length == 0 ? 0 : 1);
        return new InferRequest(
                Optional.empty(),
                List.of(new ImageInput.Encoded(body)),
                all(model, false, true),
                OptionalDouble.empty(),
                Optional.empty(),
                0);
    }

    private static OptionalDouble coverage(@Nullable Double level) {
        if (level == null) {
            return OptionalDouble.empty();
        }
        try {
            new CertaintyRequest(level, null); // refuses a coverage out of range
            return OptionalDouble.of(level);
        } catch (IllegalArgumentException e) {
            throw RequestException.malformed(String.valueOf(e.getMessage()));
        }
    }

    /** All outputs that the model gives, the set of classes only if a coverage was given. */
    private static List<OutputRequest> all(ReferenceOutputs model, boolean sets, boolean binary) {
        return Stream.of(OutputTensor.values())
                .filter(tensor -> model.isGiven(tensor, sets))
                .map(tensor -> new OutputRequest(tensor, 0, binary))
                .toList();
    }

    private static List<OutputRequest> named(List<InferJson.Output> outputs, boolean binaryByDefault) {
        Set<OutputTensor> seen = EnumSet.noneOf(OutputTensor.class);
        List<OutputRequest> wanted = new ArrayList<>();
        for (InferJson.Output output : outputs) {
            OutputTensor tensor = OutputTensor.named(output.name);
            long classes = output.parameters.classification;
            if (classes < 0 || (classes > 0 && tensor != OutputTensor.PROBABILITIES)) {
                throw RequestException.malformed(
                        "classification is a number of classes and belongs to 'probabilities'");
            }
            if (!seen.add(tensor)) {
                throw RequestException.malformed("the output '" + tensor.tensorName()
                        + "' is requested twice; available: "
                        + Stream.of(OutputTensor.values())
                                .map(OutputTensor::tensorName)
                                .toList());
            }
            Boolean binary = output.parameters.binary;
            wanted.add(new OutputRequest(
                    tensor, (int) Math.min(classes, Integer.MAX_VALUE), binary == null ? binaryByDefault : binary));
        }
        return wanted;
    }

    private static void requireReference(List<OutputRequest> outputs, OptionalDouble coverage, ReferenceOutputs model) {
        if (coverage.isPresent()) {
            model.requireSets();
        }
        for (OutputRequest output : outputs) {
            model.require(output.tensor());
            if (output.tensor() == OutputTensor.SET && coverage.isEmpty()) {
                throw RequestException.malformed(
                        "the output 'set' needs a coverage; add it to the parameters of the request, such as"
                                + " \"parameters\": {\"coverage\": 0.9}");
            }
        }
    }

    /**
     * Makes images of an input tensor. BYTES [n] or [n, 1] are encoded images: base64 in JSON, or a length of 4 bytes and the
     * file each. UINT8 and FP32 [n, height, width, 3] are pixels, red, green, blue, from 0 to 255; floats are rounded to the
     * nearest whole number. Sizes are compared before anything is allocated.
     *
     * @param tail the bytes after the JSON
     */
    private static List<ImageInput> images(InferJson.Input input, ByteBuffer tail, InferLimits limits) {
        if (!input.name.equals(INPUT)) {
            throw RequestException.malformed("the input is called '" + INPUT + "', not '" + excerpt(input.name) + "'");
        }
        if (input.shape.stream().anyMatch(side -> side < 0)) {
            throw RequestException.malformed("shape " + input.shape + " has a negative side");
        }
        Long binarySize = input.parameters.binarySize;
        if ((input.data == null) == (binarySize == null)) {
            throw RequestException.malformed(
                    "an input has either data or the parameter binary_data_size, and not both or neither");
        }
        long expected = binarySize == null ? 0 : binarySize;
        if (expected != tail.remaining()) {
            throw RequestException.malformed(
                    "there are " + tail.remaining() + " bytes after the JSON, but binary_data_size is " + expected);
        }
        Datatype type = Datatype.named(input.datatype);
        return type == Datatype.BYTES ? encoded(input, tail, limits) : pixels(input, type, tail, limits);
    }

    private static List<ImageInput> encoded(InferJson.Input input, ByteBuffer tail, InferLimits limits) {
        List<Long> shape = input.shape;
        if (shape.isEmpty() || shape.size() > 2 || (shape.size() == 2 && shape.get(1) != 1)) {
            throw RequestException.malformed("encoded images have the shape [n] or [n, 1], not " + shape);
        }
        limits.checkCount(shape.get(0));
        List<ImageInput> images = input.data == null ? fromBytes(tail, limits) : fromStrings(input.data);
        if (images.size() != shape.get(0)) {
            throw RequestException.malformed(
                    "the shape is for " + shape.get(0) + " images but there are " + images.size());
        }
        return images;
    }

    private static List<ImageInput> fromStrings(InferJson.Data data) {
        if (data.count() > 0) {
            throw RequestException.malformed("data of BYTES are strings: each image's file in base64");
        }
        List<ImageInput> images = new ArrayList<>();
        for (String string : data.strings) {
            try {
                images.add(new ImageInput.Encoded(Base64.getDecoder().decode(string)));
            } catch (IllegalArgumentException e) {
                throw RequestException.malformed(
                        "an image in JSON must be base64; send raw files after the JSON, or to /predict");
            }
        }
        return images;
    }

    private static List<ImageInput> fromBytes(ByteBuffer tail, InferLimits limits) {
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

    private static List<ImageInput> pixels(InferJson.Input input, Datatype type, ByteBuffer tail, InferLimits limits) {
        List<Long> shape = input.shape;
        if (shape.size() != 4 || shape.get(3) != CHANNELS) {
            throw RequestException.malformed("pixels have the shape [n, height, width, 3], not " + shape);
        }
        long height = shape.get(1);
        long width = shape.get(2);
        limits.checkCount(shape.get(0));
        limits.checkSize(width, height);
        long elements = shape.get(0) * height * width * CHANNELS; // n, width · height are limited: no overflow
        InferJson.Data data = input.data;
        if (data != null && !data.strings.isEmpty()) {
            throw RequestException.malformed(
                    "data of " + type + " must be numbers, but element " + data.firstString + " is a string");
        }
        if (data != null && elements != data.count()) {
            throw RequestException.malformed(
                    "the shape " + shape + " needs " + elements + " values, but data has " + data.count());
        }
        if (data == null && elements * type.size() != tail.remaining()) {
            throw RequestException.malformed("the shape " + shape + " needs " + elements * type.size() + " bytes of "
                    + type + ", but there are " + tail.remaining());
        }
        List<ImageInput> images = new ArrayList<>();
        int next = 0;
        for (long image = 0; image < shape.get(0); image++) {
            byte[] samples = new byte[(int) (height * width * CHANNELS)];
            for (int i = 0; i < samples.length; i++, next++) {
                samples[i] = data != null
                        ? sample(data.number(next), type)
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

    /** The beginning of an untrusted string, without characters that control terminals or logs. */
    static String excerpt(String string) {
        return Text.shortened(string, MAX_EXCERPT).replaceAll("\\p{Cntrl}", "?");
    }

    /** The protocol's types of tensor elements that images come in and answers go out in. */
    enum Datatype {
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
            throw RequestException.malformed(
                    "datatype must be BYTES (encoded images), UINT8 or FP32 (pixels), not '" + excerpt(name) + "'");
        }
    }

    /**
     * Limits of one request for inference.
     *
     * @param images at once
     * @param each of every image
     */
    public record InferLimits(int images, ImageLimits each) {

        void checkCount(long count) {
            if (count < 1) {
                throw RequestException.malformed("a request needs at least one image");
            }
            if (count > images) {
                throw new RequestException(
                        413,
                        "a request may have at most " + images + " images, not " + count + "; send several requests");
            }
        }

        void checkSize(long width, long height) {
            if (width < 1 || height < 1) {
                throw RequestException.malformed("an image has at least one pixel, not " + width + "×" + height);
            }
            if (width > each.maxWidth() || height > each.maxHeight() || width * height > each.maxPixels()) {
                throw new RequestException(
                        413,
                        "an image may have at most " + each.maxWidth() + "×" + each.maxHeight() + " pixels and "
                                + each.maxPixels() + " in all, not " + width + "×" + height + "; send a smaller image");
            }
        }
    }
}
