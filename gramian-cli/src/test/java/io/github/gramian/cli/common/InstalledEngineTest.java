package io.github.gramian.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;

class InstalledEngineTest {

    /** Stands for a class whose start loads a native library. */
    private static final class NeverStarted {
        static {
            fail("started");
        }
    }

    @Test
    void an_engine_is_found_without_starting_it() {
        assertThat(InstalledEngine.version(NeverStarted.class.getName())).hasValue("unknown");
        assertThat(InstalledEngine.version("org.example.Absent")).isEmpty();
    }

    @Test
    void the_engine_of_these_tests_is_named_with_its_version() {
        assertThat(InstalledEngine.LIBTORCH.present()).isTrue();
        assertThat(InstalledEngine.LIBTORCH.line()).matches("LibTorch 2\\..+");
    }
}
