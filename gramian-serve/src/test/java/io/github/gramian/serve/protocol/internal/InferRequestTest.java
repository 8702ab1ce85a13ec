package io.github.gramian.serve.protocol.internal;

import static io.github.gramian.serve.protocol.internal.Requests.binaryHeader;
import static io.github.gramian.serve.protocol.internal.Requests.element;
import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.serve.protocol.internal.InferRequest.ImageInput;
import io.github.gramian.serve.protocol.internal.InferRequest.InferLimits;
import io.github.gramian.serve.protocol.internal.InferRequest.OutputRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InferRequestTest {

    private static final ReferenceOutputs NO_REFERENCE = new ReferenceOutputs(ModelCertainty.none(), false, false);
    private static final InferLimits LIMITS = new InferLimits(4, new ImageLimits(1 << 20, 100, 100, 1000));

    private static InferRequest json(String text) {
        return InferRequest.read(utf8(text), OptionalInt.empty(), LIMITS, NO_REFERENCE);
    }

    private static InferRequest pixels(String type, String shape, String data) {
        return json("{\"inputs\":[{\"name\":\"image\",\"datatype\":\"" + type + "\",\"shape\":" + shape + ",\"data\":"
                + data + "}]}");
    }

    private static List<byte[]> contents(InferRequest request) {
        return request.images().stream()
                .map(image -> ((ImageInput.Encoded) image).content())
                .toList();
    }

    @Test
    void encoded_images_in_json_are_base64() {
        InferRequest request = json(
                "{\"id\":\"a7\",\"inputs\":[{\"data\":[[\"AQID\"],[\"BA==\"]],\"shape\":[2,1],"
                        + "\"name\":\"image\",\"datatype\":\"BYTES\"}],\"parameters\":{\"timeout\":250,\"other\":{\"x\":[1]}}}");
        assertThat(contents(request)).containsExactly(new byte[] {1, 2, 3}, new byte[] {4});
        assertThat(request.id()).contains("a7");
        assertThat(request.timeoutMicros()).isEqualTo(250);
        assertThat(request.outputs())
                .containsExactly(
                        new OutputRequest(OutputTensor.PROBABILITIES, 0, false),
                        new OutputRequest(OutputTensor.LABEL, 0, false),
                        new OutputRequest(OutputTensor.DESCRIPTOR, 0, false));
    }

    @Test
    void encoded_images_after_the_json_are_preceded_by_their_lengths() {
        byte[] tensor = joined(element(new byte[] {9, 8}), element(new byte[0]), element(new byte[300]));
        byte[] header = binaryHeader(3, tensor.length, ",\"parameters\":{\"binary_data_output\":true}");
        InferRequest request =
                InferRequest.read(joined(header, tensor), OptionalInt.of(header.length), LIMITS, NO_REFERENCE);
        assertThat(contents(request)).containsExactly(new byte[] {9, 8}, new byte[0], new byte[300]);
        assertThat(request.outputs()).hasSize(3).allMatch(OutputRequest::binary);
    }

    @Test
    void a_header_of_no_bytes_means_that_the_body_is_one_image() {
        InferRequest request = InferRequest.read(new byte[] {1, 2}, OptionalInt.of(0), LIMITS, NO_REFERENCE);
        assertThat(contents(request)).containsExactly(new byte[] {1, 2});
        assertThat(request.outputs()).hasSize(3).allMatch(OutputRequest::binary);
    }

    @Test
    void binary_data_of_an_output_goes_before_that_of_the_request() {
        InferRequest request = json(
                "{\"parameters\":{\"binary_data_output\":true},\"outputs\":[{\"name\":\"descriptor\","
                        + "\"parameters\":{\"binary_data\":false}},{\"name\":\"label\"}],"
                        + "\"inputs\":[{\"name\":\"image\",\"shape\":[1],\"datatype\":\"BYTES\",\"data\":[\"AQID\"]}]}");
        assertThat(request.outputs())
                .containsExactly(
                        new OutputRequest(OutputTensor.DESCRIPTOR, 0, false),
                        new OutputRequest(OutputTensor.LABEL, 0, true));
    }

    @Test
    void a_string_among_pixels_is_named_by_its_place() {
        assertThatThrownBy(() -> pixels("UINT8", "[1,1,1,3]", "[\"a\",1,2]"))
                .hasMessage("data of UINT8 must be numbers, but element 0 is a string");
        assertThatThrownBy(() -> pixels("FP32", "[1,1,1,3]", "[[[[0.5,1,\"x\"]]]]"))
                .hasMessage("data of FP32 must be numbers, but element 2 is a string");
        assertThatThrownBy(() -> pixels("UINT8", "[1,1,1,3]", "[1,2]"))
                .hasMessage("the shape [1, 1, 1, 3] needs 3 values, but data has 2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {"id": NaN}           | the JSON is not valid near line 1, column 11
        {'id': 1}             | the JSON is not valid near line 1, column 2
        {"inputs": [          | the JSON ends too early
        {"a": +1}             | the JSON is not valid near line 1, column 8
        """)
    void json_that_is_not_valid_gets_a_sentence_of_ours(String text, String message) {
        assertThatThrownBy(() -> json(text)).hasMessage(message);
    }

    @Test
    void outputs_are_those_that_were_asked_for() {
        InferRequest request = json("{\"outputs\":[{\"name\":\"descriptor\",\"parameters\":{\"binary_data\":true}},"
                + "{\"name\":\"probabilities\",\"parameters\":{\"classification\":2,\"binary_data\":false}}],"
                + "\"inputs\":[{\"name\":\"image\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"AQ==\"]}]}");
        assertThat(request.outputs())
                .containsExactly(
                        new OutputRequest(OutputTensor.DESCRIPTOR, 0, true),
                        new OutputRequest(OutputTensor.PROBABILITIES, 2, false));
    }

    @Test
    void pixels_are_bytes_or_floats_flat_or_nested_or_after_the_json() {
        RgbImage expected = new RgbImage(2, 1, new byte[] {0, 1, 2, (byte) 253, (byte) 254, (byte) 255});
        assertThat(pixels("UINT8", "[1,1,2,3]", "[0,1,2,253,254,255]").images())
                .containsExactly(new ImageInput.Pixels(expected));
        assertThat(pixels("FP32", "[1,1,2,3]", "[[[[0.4,0.5,2],[253.4,254.49,255.0]]]]")
                        .images())
                .containsExactly(new ImageInput.Pixels(expected));
        byte[] header = utf8("{\"inputs\":[{\"name\":\"image\",\"shape\":[2,1,2,3],\"datatype\":\"FP32\","
                + "\"parameters\":{\"binary_data_size\":48}}]}");
        ByteBuffer floats = ByteBuffer.allocate(48).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 2; i++) {
            for (byte sample : expected.pixels()) {
                floats.putFloat(sample & 0xFF);
            }
        }
        assertThat(InferRequest.read(
                                joined(header, floats.array()), OptionalInt.of(header.length), LIMITS, NO_REFERENCE)
                        .images())
                .containsExactly(new ImageInput.Pixels(expected), new ImageInput.Pixels(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        UINT8 | [1,1,1,3]   | [0,1]          | 400
        UINT8 | [1,1,1,3]   | [0,1,256]      | 400
        UINT8 | [1,1,1,3]   | [0,1,2.5]      | 400
        UINT8 | [1,1,1,3]   | ["a",1,2]      | 400
        UINT8 | [1,1,1,3]   | [null,1,2]     | 400
        UINT8 | [1,1,1,3]   | 7              | 400
        FP32  | [1,1,1,3]   | [0,1,-0.6]     | 400
        FP32  | [1,1,1,3]   | [0,1,1e40]     | 400
        FP32  | [1,3,1,1]   | [0,1,2]        | 400
        FP32  | [3]         | [0,1,2]        | 400
        FP32  | [1,0,1,3]   | []             | 400
        FP32  | [0,1,1,3]   | []             | 400
        FP32  | [5,1,1,3]   | [0,1,2]        | 413
        FP32  | [1,101,1,3] | [0,1,2]        | 413
        FP32  | [1,40,40,3] | [0,1,2]        | 413
        FP32  | [1,9223372036854775807,9223372036854775807,3] | [0,1,2] | 413
        FP32  | [-1,-1,1,3] | [0,1,2]        | 400
        FP32  | [1,1,1,99999999999999999999] | [0] | 400
        FP64  | [1,1,1,3]   | [0,1,2]        | 400
        BYTES | [1]         | ["%"]          | 400
        BYTES | [2]         | ["AQ=="]       | 400
        BYTES | [1]         | [7]            | 400
        BYTES | [1,2]       | ["AQ=="]       | 400
        BYTES | []          | ["AQ=="]       | 400
        BYTES | [9]         | ["","","","","","","","",""] | 413
        """)
    void tensors_that_contradict_themselves_are_refused(String type, String shape, String data, int status) {
        assertThatThrownBy(() -> pixels(type, shape, data))
                .isInstanceOfSatisfying(
                        RequestException.class,
                        wrong -> assertThat(wrong.status()).isEqualTo(status));
    }

    @Test
    void an_image_that_is_too_high_is_refused_with_the_limit_that_it_exceeds() {
        assertThatThrownBy(() -> pixels("FP32", "[1,101,1,3]", "[0,1,2]"))
                .hasMessageContaining("at most 100×100 pixels and 1000 in all, not 1×101");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "7",
                "{}",
                "{}{}",
                "{\"inputs\":{}}",
                "{\"inputs\":[]}",
                "{\"inputs\":[7]}",
                "{\"inputs\":[{}]}",
                "{\"inputs\":[{\"name\":7}]}",
                "{\"inputs\":[{\"name\":\"picture\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"AQ==\"]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"BYTES\",\"shape\":[1]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"AQ==\"],"
                        + "\"parameters\":{\"binary_data_size\":0}}]}",
                "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"BYTES\",\"shape\":[1],\"data\":[\"AQ==\"]},{}]}",
                "{\"id\":7}",
                "{\"outputs\":[{\"name\":\"nothing\"}]}",
                "{\"outputs\":[{\"name\":\"label\"},{\"name\":\"label\"}]}",
                "{\"outputs\":[{\"name\":\"label\",\"parameters\":{\"classification\":3}}]}",
                "{\"outputs\":[{\"name\":\"probabilities\",\"parameters\":{\"classification\":-3}}]}",
                "{\"parameters\":{\"binary_data_output\":\"yes\"}}",
                "{\"inputs\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            })
    void requests_that_are_none_are_refused(String text) {
        assertThatThrownBy(() -> json(text))
                .isInstanceOfSatisfying(
                        RequestException.class,
                        wrong -> assertThat(wrong.status()).isEqualTo(400));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 10_000})
    void a_header_length_that_does_not_fit_is_refused(int length) {
        byte[] header = binaryHeader(1, 5, "");
        byte[] body = joined(header, element(new byte[] {7}));
        assertThat(contents(InferRequest.read(body, OptionalInt.of(header.length), LIMITS, NO_REFERENCE)))
                .hasSize(1);
        assertThatThrownBy(() -> InferRequest.read(body, OptionalInt.of(length), LIMITS, NO_REFERENCE))
                .isInstanceOf(RequestException.class);
        assertThatThrownBy(() -> InferRequest.read(body, OptionalInt.empty(), LIMITS, NO_REFERENCE))
                .isInstanceOf(RequestException.class);
        assertThatThrownBy(() -> InferRequest.read(new byte[0], OptionalInt.of(0), LIMITS, NO_REFERENCE))
                .isInstanceOf(RequestException.class);
    }
}
