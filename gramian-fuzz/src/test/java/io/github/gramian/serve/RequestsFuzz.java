package io.github.gramian.serve;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.fuzz.FindingException;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequest.InferLimits;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Untrusted requests to the server, and its configuration file. */
public final class RequestsFuzz {

    private static final float[] ONE = {1};
    private static final ReferenceOutputs OUTPUTS = new ReferenceOutputs(
            new ModelCertainty(
                    Optional.of(new Novelty(
                            new Novelty.Densities(new float[1], 1, ONE, ONE, ONE, ONE, new float[] {1, 1}), ONE)),
                    Optional.of(new PredictionSets(PredictionSets.Source.VALIDATION, new float[] {0.5f}))),
            false,
            true);
    private static final InferLimits LIMITS = new InferLimits(8, new ImageLimits(1 << 20, 4096, 4096, 1 << 20));

    private RequestsFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(
                target(
                        "request-json",
                        RequestsFuzz::json,
                        bytes -> InferRequest.read(bytes, OptionalInt.empty(), LIMITS, OUTPUTS)),
                target("request-binary", RequestsFuzz::binary, RequestsFuzz::readBinary),
                target("request-form", RequestsFuzz::forms, RequestsFuzz::readForm),
                FuzzTarget.of(
                        "serve-file",
                        () -> List.of(utf8("""
                                host: 127.0.0.1
                                port: 8080
                                models:
                                  - a=model.gramian
                                limits:
                                  pixels: 1000
                                """)),
                        bytes -> ServeFile.read(scratch.file("serve.yaml", bytes))
                                .settings(),
                        IllegalArgumentException.class));
    }

    private static FuzzTarget target(String name, FuzzTarget.Seeds seeds, FuzzTarget.Reader reader) {
        return FuzzTarget.of(name, seeds, bytes -> documented(reader, bytes), RequestException.class);
    }

    /** A refusal has one of two statuses, and is short whatever was sent. */
    private static void documented(FuzzTarget.Reader reader, byte[] bytes) throws Exception {
        try {
            reader.read(bytes);
        } catch (RequestException e) {
            if (e.status() != 400 && e.status() != 413) {
                throw new FindingException("status " + e.status(), e);
            }
            int length = String.valueOf(e.getMessage()).length();
            if (length > 1000) {
                throw new FindingException("a refusal of " + length + " characters", e);
            }
            throw e;
        }
    }

    private static List<byte[]> json() {
        return List.of(
                utf8("{\"id\":\"x\",\"parameters\":{\"timeout\":1000000},\"inputs\":[{\"name\":\"image\",\"shape\":[1],"
                        + "\"datatype\":\"BYTES\",\"data\":[\"iVBORw0KGgo=\"]}],\"outputs\":[{\"name\":\"probabilities\","
                        + "\"parameters\":{\"classification\":2}}]}"),
                utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[1,2,2,3],\"datatype\":\"UINT8\",\"data\":"
                        + "[1,2,3,4,5,6,7,8,9,10,11,12]}]}"));
    }

    /** Two bytes with the length of the JSON, then the body. */
    private static List<byte[]> binary() {
        byte[] header = utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[1],\"datatype\":\"BYTES\",\"parameters\":"
                + "{\"binary_data_size\":7}}],\"parameters\":{\"binary_data_output\":true}}");
        return List.of(ByteBuffer.allocate(2 + header.length + 7)
                .putShort((short) header.length)
                .put(header)
                .put(new byte[] {3, 0, 0, 0, 1, 2, 3})
                .array());
    }

    private static void readBinary(byte[] bytes) {
        if (bytes.length > 2) {
            int length = ByteBuffer.wrap(bytes).getShort();
            InferRequest.read(Arrays.copyOfRange(bytes, 2, bytes.length), OptionalInt.of(length), LIMITS, OUTPUTS);
        }
    }

    /** A line with the type, then the body. */
    private static List<byte[]> forms() {
        return List.of(
                utf8("multipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\nabc"
                        + "\r\n--b--"),
                utf8(String.join(
                        "\r\n",
                        "multipart/form-data; a=c; boundary=\"x y\"\n--x y",
                        "Content-Disposition: form-data; name=other",
                        "",
                        "1",
                        "--x y",
                        "content-disposition: form-data; filename=a; name=image; b",
                        "",
                        "",
                        "--x y")));
    }

    private static void readForm(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = Math.max(0, text.indexOf('\n'));
        String type = text.substring(0, end);
        if (FormImage.isForm(type)) {
            FormImage.in(Arrays.copyOfRange(bytes, end + 1, bytes.length), type);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
