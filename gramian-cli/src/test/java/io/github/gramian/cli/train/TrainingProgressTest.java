package io.github.gramian.cli.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.run.TrainingEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TrainingProgressTest {

    @Test
    void features_of_another_size_have_their_own_speed() throws InterruptedException {
        StringWriter output = new StringWriter();
        try (TrainingProgress progress = new TrainingProgress(new PrintWriter(output), false)) {
            progress.onEvent(new TrainingEvent.Features(10, 10));
            Thread.sleep(150);
            progress.onEvent(new TrainingEvent.Features(1, 10));
            progress.onEvent(new TrainingEvent.Features(10, 10));
        }
        assertThat(output.toString().lines()).containsExactly("features: 10 of 10", "features: 10 of 10");
    }
}
