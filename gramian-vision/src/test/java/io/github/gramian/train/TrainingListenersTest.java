package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrainingListenersTest {

    private static final Path RUN = Path.of("runs", "one");
    private static final TrainingOptions OPTIONS = TrainingOptions.defaults(Path.of("cache"));

    private final List<String> heard = new ArrayList<>();

    private void noteEpoch(TrainingEvent.Epoch epoch) {
        heard.add("epoch " + epoch.epoch());
    }

    private TrainingListener noting(String name) {
        return event -> heard.add(name);
    }

    private static void send(Training training, TrainingEvent event) {
        training.options(RUN).listener().onEvent(event);
    }

    private static TrainingEvent epoch(int number) {
        Health health = new Health(null, null, null, null, null, null, null, null, null, Map.of(), List.of());
        return new TrainingEvent.Epoch(1, false, number, 0, 0.1, null, null, null, null, 0, 0, false, health);
    }

    @Test
    void listeners_are_retained_whether_options_are_set_before_or_after_them() {
        send(Training.of(Recipe.standard()).onEpoch(this::noteEpoch).with(OPTIONS), epoch(3));
        send(Training.of(Recipe.standard()).with(OPTIONS).onEpoch(this::noteEpoch), epoch(4));
        assertThat(heard).containsExactly("epoch 3", "epoch 4");
    }

    @Test
    void listeners_are_called_in_addition_to_the_listener_of_the_options() {
        TrainingOptions listening = OPTIONS.withListener(noting("of the options"));
        send(
                Training.of(Recipe.standard())
                        .onEvent(noting("first"))
                        .with(listening)
                        .onEvent(noting("second")),
                epoch(1));
        assertThat(heard).containsExactly("of the options", "first", "second");
    }

    @Test
    void later_options_replace_earlier_ones() {
        Training training = Training.of(Recipe.standard()).with(OPTIONS).with(OPTIONS.withoutReportData());
        assertThat(training.options(RUN).reportData()).isFalse();
        assertThat(training.options(RUN).cache()).isEqualTo(Path.of("cache"));
    }
}
