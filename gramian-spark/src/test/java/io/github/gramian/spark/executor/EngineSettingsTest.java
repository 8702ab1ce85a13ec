package io.github.gramian.spark.executor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineSettingsTest {

    private static final String BLAS = "dev.ludovic.netlib.blas.nativeLib";

    private String before = "";

    @BeforeEach
    void keep() {
        before = System.getProperty(BLAS, "");
    }

    @AfterEach
    void putBack() {
        if (before.isEmpty()) {
            System.clearProperty(BLAS);
        } else {
            System.setProperty(BLAS, before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blas", "lapack", "arpack"})
    void mllib_does_not_load_the_engines_libraries(String library) {
        EngineSettings.apply();
        assertThat(System.getProperty("dev.ludovic.netlib." + library + ".nativeLib"))
                .isNotEmpty();
    }

    @Test
    void settings_of_the_user_are_not_changed() {
        System.setProperty(BLAS, "mine.so");
        EngineSettings.apply();
        assertThat(System.getProperty(BLAS)).isEqualTo("mine.so");
    }
}
