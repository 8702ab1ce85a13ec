package io.github.gramian.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.Precision;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CpuTest {

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
}
