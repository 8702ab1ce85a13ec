package io.github.gramian.onnx.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class Int8TargetTest {

    @Test
    void the_target_of_a_processor_follows_from_its_instructions() {
        assertThat(Int8Target.of(List.of())).isEqualTo(Int8Target.AVX2);
        assertThat(Int8Target.of(List.of("avx512_vnni"))).isEqualTo(Int8Target.VNNI);
        assertThat(Int8Target.of(List.of("avx_vnni"))).isEqualTo(Int8Target.VNNI);
        assertThat(Int8Target.of(List.of("avx_vnni", "avx512_vnni", "amx_int8")))
                .isEqualTo(Int8Target.AMX);
    }

    @Test
    void full_weights_saturate_only_on_processors_without_instructions_for_them() {
        assertThat(Int8Target.values()).allMatch(Int8Target.AVX2::isExactOn);
        assertThat(Int8Target.VNNI.isExactOn(Int8Target.AVX2)).isFalse();
        assertThat(Int8Target.AMX.isExactOn(Int8Target.AVX2)).isFalse();
        assertThat(Int8Target.VNNI.isExactOn(Int8Target.AMX)).isTrue();
        assertThat(Int8Target.AMX.isExactOn(Int8Target.VNNI)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Int8Target.class)
    void a_key_names_its_target(Int8Target target) {
        assertThat(Int8Target.ofKey(target.key())).contains(target);
        assertThat(Int8Target.ofKey(target.name())).isEmpty();
    }
}
