package io.github.gramian.backbone.weights.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.InvalidInputException;
import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.tensor.Scope;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TfjsSourceTest {

    private static final String MODEL = """
            {"modelTopology": {"model_config": {"config": {"layers": [
               {"class_name": "BatchNormalization", "config": {"epsilon": 0.001}},
               {"class_name": "BatchNormalization", "config": {"epsilon": 0.001}}]}}},
             "weightsManifest": [{"paths": ["s1.bin", "s2.bin", "s3.bin"], "weights": [
               {"name": "a/kernel", "shape": [2, 2], "dtype": "float32"},
               {"name": "a/bias", "shape": [3], "dtype": "float32"}]}]}
            """;

    @TempDir
    Path folder;

    @Test
    void a_tensor_may_lie_across_several_shards() throws IOException {
        write(MODEL);
        for (Path place : new Path[] {folder, folder.resolve("model.json")}) {
            try (Scope scope = Scope.open();
                    SourceWeights source = SourceFormat.open(place)) {
                check(source);
                assertThat(source.format()).isEqualTo(SourceFormat.TFJS_FOLDER);
            }
        }
        assertThat(SourceHash.of(folder)).isEqualTo(SourceHash.of(folder.resolve("model.json")));
    }

    @Test
    void the_archive_of_a_package_is_read_as_it_is() throws IOException {
        Path archive = archive(entries(MODEL));
        try (Scope scope = Scope.open();
                SourceWeights source = SourceFormat.open(archive)) {
            check(source);
            assertThat(source.format()).isEqualTo(SourceFormat.TFJS_ARCHIVE);
            assertThat(source.notes().licence()).isEqualTo("MIT");
            assertThat(source.notes().epsilon()).hasValue(0.001);
        }
    }

    private static void check(SourceWeights source) throws IOException {
        assertThat(source.tensors().keySet()).containsExactly("a/kernel", "a/bias");
        assertThat(requireNonNull(source.tensors().get("a/kernel")).load().sum().item_double())
                .isEqualTo(0 + 1 + 2 + 3);
        assertThat(requireNonNull(source.tensors().get("a/bias")).load().sum().item_double())
                .isEqualTo(4 + 5 + 6);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "s1.bin | ../s1.bin | not a plain file name",
                "s1.bin | /etc/passwd | not a plain file name",
                "s1.bin | .. | not a plain file name",
                "s1.bin | a\\\\b | not a plain file name",
                "s3.bin | s4.bin | missing",
                "[3] | [4] | end before tensor",
                "[3] | [2] | do not belong together",
                "[3] | [-3] | impossible shape",
                "[3] | [9223372036854775807, 9] | impossible shape",
                "[3] | [99999999999999999999999] | no proper shape",
                "[3] | [1.5] | no proper shape",
                "[3] | 3 | no proper shape",
                "[3] | [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3] | no proper shape",
                "float32 | int32 | not float32",
                "a/bias | a/kernel | two tensors",
                "weightsManifest | other | no weightsManifest",
                "{\"modelTopology\" | { | not valid JSON",
            })
    void an_inconsistent_manifest_is_refused(String before, String after, String reason) throws IOException {
        write(MODEL.replace(before, after));
        assertThatThrownBy(() -> SourceFormat.open(folder))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void quantised_and_contradictory_models_are_refused() throws IOException {
        write(MODEL.replaceFirst("\"dtype\"", "\"quantization\": {}, \"dtype\""));
        assertThatThrownBy(() -> SourceFormat.open(folder)).hasMessageContaining("quantised");
        write(MODEL.replaceFirst("0.001", "0.01"));
        assertThatThrownBy(() -> SourceFormat.open(folder)).hasMessageContaining("different epsilons");
        Files.delete(folder.resolve("model.json"));
        assertThatThrownBy(() -> SourceFormat.open(folder)).hasMessageContaining("no model.json");
    }

    @Test
    void a_shard_that_is_a_link_is_not_followed() throws IOException {
        write(MODEL);
        Path elsewhere = Files.move(folder.resolve("s2.bin"), folder.resolve("elsewhere"));
        Files.createSymbolicLink(folder.resolve("s2.bin"), elsewhere);
        assertThatThrownBy(() -> SourceFormat.open(folder)).hasMessageContaining("missing");
    }

    @Test
    void an_inconsistent_archive_is_refused_and_leaves_no_files() throws IOException {
        Map<String, byte[]> two = entries(MODEL);
        two.put("package/other/model.json", MODEL.getBytes(StandardCharsets.UTF_8));
        refused(two, "2 files model.json");
        Map<String, byte[]> lacking = entries(MODEL);
        lacking.remove("package/net/s2.bin");
        refused(lacking, "lacks package/net/s2.bin");
        refused(entries(MODEL.replace("s1.bin", "../../s1.bin")), "not a plain file name");
        Map<String, byte[]> bomb = entries(MODEL);
        bomb.put("package/zeros.bin", new byte[80 << 20]);
        refused(bomb, "unpacks to more than");
        Map<String, byte[]> crowd = entries(MODEL);
        for (int i = 0; i < 10_000; i++) {
            crowd.put("package/" + i, new byte[0]);
        }
        refused(crowd, "more than 10000 entries");
    }

    private void refused(Map<String, byte[]> entries, String reason) throws IOException {
        Path archive = archive(entries);
        Path scratch = folder.resolve("scratch");
        assertThatThrownBy(() -> TfjsSource.openArchive(archive, Files.createDirectory(scratch)))
                .isInstanceOf(WeightsException.class)
                .hasMessageContaining(reason);
        assertThat(scratch).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 30, 100, 200})
    void an_archive_cut_off_or_damaged_is_refused(int length) throws IOException {
        Path archive = archive(entries(MODEL));
        byte[] whole = Files.readAllBytes(archive);
        Files.write(archive, Arrays.copyOf(whole, Math.min(length, whole.length - 9)));
        assertThatThrownBy(() -> SourceFormat.open(archive))
                .isInstanceOfAny(IOException.class, InvalidInputException.class);
        byte[] tar = tar(entries(MODEL));
        tar[3] ^= 1;
        Files.write(archive, gzip(tar));
        assertThatThrownBy(() -> SourceFormat.open(archive)).hasMessageContaining("invalid header");
        byte[] size = tar(entries(MODEL));
        size[124] = 'x';
        Files.write(archive, gzip(size));
        assertThatThrownBy(() -> SourceFormat.open(archive)).hasMessageContaining("invalid header");
    }

    private void write(String model) throws IOException {
        Files.writeString(folder.resolve("model.json"), model);
        byte[] values = TorchFiles.floats(7);
        Files.write(folder.resolve("s1.bin"), Arrays.copyOfRange(values, 0, 10));
        Files.write(folder.resolve("s2.bin"), Arrays.copyOfRange(values, 10, 11));
        Files.write(folder.resolve("s3.bin"), Arrays.copyOfRange(values, 11, 28));
    }

    private static Map<String, byte[]> entries(String model) {
        byte[] values = TorchFiles.floats(7);
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put("package/package.json", "{\"license\": \"MIT\"}".getBytes(StandardCharsets.UTF_8));
        entries.put("package/README.md", new byte[700]);
        entries.put("package/net/s1.bin", Arrays.copyOfRange(values, 0, 10));
        entries.put("package/net/s2.bin", Arrays.copyOfRange(values, 10, 11));
        entries.put("package/net/s3.bin", Arrays.copyOfRange(values, 11, 28));
        entries.put("package/net/model.json", model.getBytes(StandardCharsets.UTF_8));
        return entries;
    }

    private Path archive(Map<String, byte[]> entries) throws IOException {
        return Files.write(folder.resolve("package.tgz"), gzip(tar(entries)));
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        }
        return packed.toByteArray();
    }

    private static byte[] tar(Map<String, byte[]> entries) {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        entries.forEach((name, content) -> {
            byte[] header = new byte[512];
            put(header, 0, name);
            put(header, 124, String.format(Locale.ROOT, "%011o", content.length));
            header[156] = '0';
            Arrays.fill(header, 148, 156, (byte) ' ');
            int sum = 0;
            for (byte value : header) {
                sum += value & 0xff;
            }
            put(header, 148, String.format(Locale.ROOT, "%06o", sum));
            header[154] = 0;
            tar.writeBytes(header);
            tar.writeBytes(Arrays.copyOf(content, (content.length + 511) / 512 * 512));
        });
        tar.writeBytes(new byte[1024]);
        return tar.toByteArray();
    }

    private static void put(byte[] header, int at, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
