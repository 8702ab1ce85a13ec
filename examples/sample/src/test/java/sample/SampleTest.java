package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.layer.Layer;
import io.github.gramian.model.Predictor;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleTest {

    @TempDir
    Path folder;

    /** Of the gradient of a layer that takes [images, channels, positions], against central differences. */
    private static double error(Layer layer) {
        try (Scope scope = Scope.open()) {
            return GradientCheck.on(GradientCheck.Domain.ANY)
                    .worstError(layer, new Seed(1).normal(Placement.cpu(Precision.DOUBLE), 2, 3, 5), new Seed(2));
        }
    }

    @Test
    void gradients_are_those_of_differences() {
        assertEquals(0, error(new SoftSign()), 1e-7);
        assertEquals(0, error(new Spread.Deviation()), 1e-7);
    }

    @Test
    void a_model_is_trained_and_predicts() throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (PrintStream here = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            System.setOut(here);
            Sample.main(new String[] {folder.toString()});
        } finally {
            System.setOut(before);
        }
        System.out.print(output.toString(StandardCharsets.UTF_8));
        assertTrue(Files.exists(folder.resolve("run/model.gramian")));
        assertTrue(output.toString(StandardCharsets.UTF_8).contains("lying "));
    }

    @Test
    void a_search_finds_a_model_and_exports_it() throws IOException {
        Path photos = folder.resolve("photos");
        for (Stripes kind : Stripes.values()) {
            for (int i = 0; i < 20; i++) {
                kind.draw(photos.resolve(kind.label()).resolve(i + ".png"), i);
            }
        }
        Path photo = folder.resolve("new.png");
        Stripes.LYING.draw(photo, 20);
        try (Predictor exported = Predictor.load(SearchAndExport.run(photos, folder))) {
            assertEquals(List.of("lying", "standing"), exported.classes());
            assertTrue(exported.predict(photo).confidence() >= 0.5);
        }
    }

    @Test
    void spd_layers_learn_in_your_own_loop() {
        double[] losses = OwnLoop.train();
        assertTrue(losses[losses.length - 1] < 0.5 * losses[0]);
    }
}
