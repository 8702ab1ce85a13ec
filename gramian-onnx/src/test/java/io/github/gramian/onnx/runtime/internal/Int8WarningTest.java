package io.github.gramian.onnx.runtime.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Normalisation;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.onnx.runtime.Int8Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Int8WarningTest {

    private static final int SIZE = 16;
    private static final SmallGraphs GRAPHS = new SmallGraphs(List.of(SIZE), Normalisation.TORCHVISION, false);
    private static final Logger LOGGER = Logger.getLogger("io.github.gramian");

    @TempDir
    Path folder;

    private final List<String> logged = new ArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void stop_listening() {
        LOGGER.removeHandler(handler);
    }

    private Path file(String target) throws IOException {
        Map<String, String> metadata = new HashMap<>(GRAPHS.metadata());
        metadata.put(Contract.INT8_TARGET, target);
        return GRAPHS.write(folder.resolve("model.onnx"), metadata);
    }

    private String engineAfterTwoImages(Path file, Int8Target processor) throws IOException {
        try (BatchPredictor predictor = BatchPredictor.on(OnnxInference.load(file, 1, processor))) {
            RgbImage image = new RgbImage(SIZE, SIZE, new byte[3 * SIZE * SIZE]);
            predictor.predictPixels(image);
            predictor.predictPixels(image);
            return predictor.engine();
        }
    }

    @Test
    void a_file_for_other_instructions_is_reported_once() throws IOException {
        Path file = file("vnni");
        assertThat(engineAfterTwoImages(file, Int8Target.AVX2)).endsWith(", int8 for vnni");
        assertThat(logged)
                .singleElement()
                .asString()
                .startsWith(file + " was quantised for processors with VNNI or AMX (vnni)")
                .endsWith("--int8 IMAGES --target avx2");
    }

    @Test
    void a_file_for_this_processor_is_not_reported() throws IOException {
        engineAfterTwoImages(file("vnni"), Int8Target.AMX);
        engineAfterTwoImages(file("amx"), Int8Target.VNNI);
        engineAfterTwoImages(file("avx2"), Int8Target.AVX2);
        String engine = engineAfterTwoImages(GRAPHS.write(folder.resolve("float.onnx")), Int8Target.AVX2);
        assertThat(engine).doesNotContain("int8");
        assertThat(logged).isEmpty();
    }

    @Test
    void a_file_for_unknown_processors_is_refused() throws IOException {
        Path file = file("tensor-core");
        assertThatThrownBy(() -> OnnxInference.load(file, 1, Int8Target.AVX2))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("'tensor-core' processors")
                .hasMessageContaining("install a newer version of Gramian");
    }
}
