package io.github.gramian.io.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProtobufMessageTest {

    private static String hex(ProtobufMessage message) {
        byte[] bytes = message.toByteArray();
        assertThat(message.size()).isEqualTo(bytes.length);
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    @Test
    void fields_are_encoded_as_the_documentation_of_protocol_buffers_shows() {
        assertThat(hex(new ProtobufMessage().number(1, 150))).isEqualTo("08 96 01");
        assertThat(hex(new ProtobufMessage().string(2, "testing"))).isEqualTo("12 07 74 65 73 74 69 6e 67");
        assertThat(hex(new ProtobufMessage().message(3, new ProtobufMessage().number(1, 150))))
                .isEqualTo("1a 03 08 96 01");
        assertThat(hex(new ProtobufMessage().number(1, -2))).isEqualTo("08 fe ff ff ff ff ff ff ff ff 01");
        assertThat(hex(new ProtobufMessage().real(1, 1f))).isEqualTo("0d 00 00 80 3f");
        assertThat(hex(new ProtobufMessage().real(1, 1.0))).isEqualTo("09 00 00 00 00 00 00 f0 3f");
        assertThat(hex(new ProtobufMessage().number(100, 1))).isEqualTo("a0 06 01");
    }

    @Test
    void contents_that_come_late_stand_where_they_were_announced() {
        ProtobufMessage tensor = new ProtobufMessage()
                .number(1, 5)
                .bytes(9, 2, channel -> channel.write(ByteBuffer.wrap(new byte[] {7, 8})))
                .string(8, "w");
        assertThat(hex(new ProtobufMessage().number(2, 1).message(4, tensor).number(3, 9)))
                .isEqualTo("10 01 22 09 08 05 4a 02 07 08 42 01 77 18 09");
    }

    @Test
    void sizes_are_not_limited_to_what_an_int_holds() {
        long large = 5L << 30;
        ProtobufMessage message = new ProtobufMessage().bytes(1, large, channel -> {});
        ProtobufMessage outer = new ProtobufMessage().message(2, message).message(2, message);
        assertThat(message.size()).isEqualTo(large + 1 + 5);
        assertThat(outer.size()).isEqualTo(2 * (message.size() + 1 + 5));
    }

    @Test
    void a_content_of_another_size_than_announced_is_refused() {
        ProtobufMessage message = new ProtobufMessage().bytes(1, 3, ProtobufMessageTest::twoBytes);
        assertThatThrownBy(message::toByteArray)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("3 bytes was announced but 2");
    }

    private static void twoBytes(WritableByteChannel channel) throws IOException {
        channel.write(ByteBuffer.wrap(new byte[2]));
    }
}
