package io.github.gramian.tensor.safetensors.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileSafetensorsTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "overlap              | {'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'F32','shape':[2],'data_offsets':[4,12]}} | 12 | overlap",
                "same bytes twice     | {'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}} | 8 | overlap",
                "hole                 | {'a':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}} | 8 | gap",
                "tail                 | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}} | 8 | describes 4 bytes",
                "cut off              | {'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}} | 4 | download it again",
                "negative offset      | {'a':{'dtype':'F32','shape':[1],'data_offsets':[-4,0]}} | 0 | none negative",
                "backwards            | {'a':{'dtype':'F32','shape':[1],'data_offsets':[8,4]}} | 8 | offsets are 8..4",
                "negative shape       | {'a':{'dtype':'F32','shape':[-1],'data_offsets':[0,4]}} | 4 | none negative",
                "overflowing shape    | {'a':{'dtype':'F32','shape':[4611686018427387904,4],'data_offsets':[0,0]}} | 0 | impossible",
                "overflow via zero    | {'a':{'dtype':'F32','shape':[9223372036854775807,9223372036854775807,0],'data_offsets':[0,0]}} | 0 | impossible",
                "huge offset          | {'a':{'dtype':'U8','shape':[9223372036854775807],'data_offsets':[0,9223372036854775807]}} | 1 | describes",
                "number beyond long   | {'a':{'dtype':'U8','shape':[99999999999999999999],'data_offsets':[0,1]}} | 1 | JSON",
                "wrong length         | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,3]}} | 3 | needs 4 bytes",
                "unknown type         | {'a':{'dtype':'F4','shape':[1],'data_offsets':[0,1]}} | 1 | convert it",
                "unknown field        | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4],'x':1}} | 4 | unknown field",
                "lacking shape        | {'a':{'dtype':'F32','data_offsets':[0,4]}} | 4 | lacks",
                "three offsets        | {'a':{'dtype':'F32','shape':[1],'data_offsets':[0,2,4]}} | 4 | at most 2",
                "many dimensions      | {'a':{'dtype':'F32','shape':[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],'data_offsets':[0,4]}} | 4 | at most 16",
                "fractional shape     | {'a':{'dtype':'F32','shape':[1.0],'data_offsets':[0,4]}} | 4 | must be a whole number but is a fraction",
                "duplicate name       | {'a':{'dtype':'U8','shape':[1],'data_offsets':[0,1]},'a':{'dtype':'U8','shape':[1],'data_offsets':[1,2]}} | 2 | JSON",
                "nested               | {'a':{'dtype':'F32','shape':[[[[[1]]]]],'data_offsets':[0,4]}} | 4 | damaged",
                "metadata no string   | {'__metadata__':{'a':1}} | 0 | must be a string but is a whole number",
                "array                | [] | 0 | must be an object but is a list",
                "data after           | {} {} | 0 | data after the header's closing brace",
                "no JSON              | {nonsense | 0 | JSON",
            })
    void an_invalid_header_is_refused(String what, String header, int dataBytes, String reason) throws IOException {
        Path file = folder.resolve("hostile");
        Files.write(file, file(header.replace('\'', '"'), dataBytes).array());
        assertThatThrownBy(() -> SafetensorsFile.open(file).close())
                .isInstanceOf(SafetensorsException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("hostile");
    }

    @Test
    void more_tensors_than_any_model_has_are_refused_before_they_are_sorted() throws IOException {
        StringBuilder header = new StringBuilder("{");
        for (int i = 0; i < 70_000; i++) {
            header.append(i == 0 ? "" : ",")
                    .append("'")
                    .append(i)
                    .append("':{'dtype':'U8','shape':[0],'data_offsets':[0,0]}");
        }
        Path file = folder.resolve("many");
        Files.write(
                file, file(header.append('}').toString().replace('\'', '"'), 0).array());
        assertThatThrownBy(() -> SafetensorsFile.open(file).close())
                .isInstanceOf(SafetensorsException.class)
                .hasMessageContaining("more than 65536 tensors");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 0, 1, 3, 100_000_001, 1L << 40})
    void an_invalid_header_length_is_refused_before_allocation(long length) throws IOException {
        Path file = folder.resolve("hostile");
        ByteBuffer bytes =
                ByteBuffer.allocate(10).order(ByteOrder.LITTLE_ENDIAN).putLong(length);
        Files.write(file, bytes.put("{}".getBytes(StandardCharsets.US_ASCII)).array());
        assertThatThrownBy(() -> SafetensorsFile.open(file).close()).isInstanceOf(SafetensorsException.class);
    }

    @Test
    void bytes_that_are_not_utf8_are_refused() throws IOException {
        Path file = folder.resolve("hostile");
        ByteBuffer bytes =
                ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(4);
        Files.write(file, bytes.put(new byte[] {'{', (byte) 0xC3, 0x28, '}'}).array());
        assertThatThrownBy(() -> SafetensorsFile.open(file).close()).hasMessageContaining("UTF-8");
        Files.write(file, new byte[3]);
        assertThatThrownBy(() -> SafetensorsFile.open(file).close()).hasMessageContaining("cut off");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_mutated_file_is_read_or_refused_but_never_anything_else(long seed) throws IOException {
        Path good = folder.resolve("good");
        try (Scope scope = Scope.open()) {
            SafetensorsWriter.write(good, Map.of("weight", torch.ones(3, 4), "bias", torch.ones(3)), Map.of("k", "v"));
        }
        byte[] original = Files.readAllBytes(good);
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int round = 0; round < 300; round++) {
            byte[] mutated = mutate(original, random);
            Path file = folder.resolve("mutated");
            Files.write(file, mutated);
            try (Scope scope = Scope.open();
                    SafetensorsFile opened = SafetensorsFile.open(file)) {
                for (TensorEntry entry : opened.entries()) {
                    assertThat(opened.tensor(entry.name()).nbytes()).isLessThanOrEqualTo(mutated.length);
                }
            } catch (SafetensorsException expected) {
                refused++;
            }
        }
        assertThat(refused).isBetween(100, 300);
    }

    private static byte[] mutate(byte[] original, SplittableRandom random) {
        byte[] mutated = java.util.Arrays.copyOf(
                original, random.nextInt(8) == 0 ? random.nextInt(original.length) : original.length);
        for (int change = random.nextInt(3); change >= 0 && mutated.length > 0; change--) {
            // The header matters most: aim most changes at it.
            mutated[random.nextInt(Math.min(mutated.length, 180))] = (byte) random.nextInt(256);
        }
        return mutated;
    }

    static ByteBuffer file(String header, int dataBytes) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + text.length + dataBytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length)
                .put(text)
                .rewind();
    }
}
