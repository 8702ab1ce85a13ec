package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuTest {

    @TempDir
    private Path folder;

    @Test
    void bfloat16_is_fastest_only_where_there_are_instructions_for_it() {
        assertThat(Cpu.fastestPrecision(List.of("avx2", "fma", "avx512f"))).isEqualTo(Precision.FLOAT);
        assertThat(Cpu.fastestPrecision(List.of("avx2", "avx512f", "avx512_bf16")))
                .isEqualTo(Precision.BFLOAT16);
        assertThat(Cpu.fastestPrecision(List.of("amx_tile", "amx_bf16"))).isEqualTo(Precision.BFLOAT16);
        assertThat(Cpu.fastestPrecision(List.of())).isEqualTo(Precision.FLOAT);
    }

    @Test
    void only_whole_words_of_the_flags_count() {
        Stream<String> facts =
                Stream.of("model name\t: x", "flags\t\t: fpu avx2 avx512_bf16x fma", "flags\t\t: amx_bf16");
        assertThat(Cpu.features(facts)).containsExactly("avx2", "fma");
    }

    @Test
    void instructions_for_integers_are_separate() {
        String flags = "flags\t\t: avx2 avx512_vnni amx_int8 amx_tile";
        assertThat(Cpu.integerFeatures(Stream.of(flags))).containsExactly("avx512_vnni", "amx_int8");
        assertThat(Cpu.features(Stream.of(flags))).containsExactly("avx2", "amx_tile");
    }

    @Test
    void a_machine_that_reports_nothing_has_no_known_features() {
        assertThat(Cpu.features(Stream.of("processor : 0", "Features : fp asimd bf16")))
                .isEmpty();
    }

    private Cpu.StoredPrecision on(String processor) {
        return new Cpu.StoredPrecision(folder.resolve("cache"), processor);
    }

    @Test
    void a_measurement_counts_on_the_processor_that_it_was_made_on() throws IOException {
        assertThat(on("Xeon avx512f").read()).isEmpty();
        on("Xeon avx512f").write(Precision.BFLOAT16);

        assertThat(on("Xeon avx512f").read()).hasValue(Precision.BFLOAT16);
        assertThat(on("Xeon avx512f amx_bf16").read()).isEmpty();
    }

    @Test
    void a_later_measurement_replaces_an_earlier_one() throws IOException {
        on("Xeon").write(Precision.BFLOAT16);
        on("Xeon").write(Precision.FLOAT);

        assertThat(on("Xeon").read()).hasValue(Precision.FLOAT);
    }

    @Test
    void a_damaged_file_does_not_count() throws IOException {
        on("Xeon").write(Precision.FLOAT);
        Path file = on("Xeon").file();
        for (byte[] content : new byte[][] {
            {},
            "Xeon\n".getBytes(StandardCharsets.UTF_8),
            "Xeon\nHALF\n".getBytes(StandardCharsets.UTF_8),
            {(byte) 0xff, '\n', 'F'},
            new byte[1 << 16]
        }) {
            Files.write(file, content);
            assertThat(on("Xeon").read()).isEmpty();
        }
    }
}
