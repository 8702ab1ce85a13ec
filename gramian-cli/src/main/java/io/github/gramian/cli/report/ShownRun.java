package io.github.gramian.cli.report;

import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.TrainingSuspects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Everything a report shows, read from a run's folder; any of it may be empty. */
record ShownRun(
        String name,
        Optional<Instant> finished,
        String recipe,
        History history,
        ShownScores scores,
        Mistakes mistakes,
        MistakeMaps maps,
        ShownData shown,
        Optional<Robustness> robustness,
        CertaintySection.Shown certainty,
        Optional<TrainingSuspects> suspects,
        List<String> notes) {

    private static final int MAX_MISTAKES = 24;

    static ShownRun read(Path folder) {
        RunFiles files = new RunFiles(folder);
        Path own = folder.toAbsolutePath().normalize().getFileName();
        String recipe = recipe(files);
        History history = History.read(files);
        ShownScores scores = ShownScores.read(files);
        Mistakes mistakes = Mistakes.read(files, MAX_MISTAKES);
        ShownData shown = ShownData.read(files);
        Optional<Robustness> robustness = RobustnessSection.read(files);
        return new ShownRun(
                own == null ? "run" : own.toString(),
                finished(folder),
                recipe,
                history,
                scores,
                mistakes,
                MistakeMaps.read(folder, scores.origin().root(), mistakes),
                shown,
                robustness,
                CertaintySection.Shown.read(folder),
                SuspectsSection.read(files),
                files.notes());
    }

    /** Whether the model only distinguishes known from unknown images, so that its accuracy is always 100 %. */
    boolean hasOneClass() {
        return scores.classes().names().size() == 1;
    }

    private static String recipe(RunFiles files) {
        String text = files.text("recipe.yaml", 1 << 20);
        if (RecipeFile.isDamaged(text)) {
            files.noteDamage("recipe.yaml");
            return "";
        }
        // The line of its checksum is for programs.
        return text.replaceFirst("\n#[^\n]*\n?$", "\n");
    }

    /** When the scores, or else the last event, were written. */
    private static Optional<Instant> finished(Path folder) {
        for (String file : List.of("scores.json", "events.jsonl")) {
            try {
                return Optional.of(
                        Files.getLastModifiedTime(folder.resolve(file)).toInstant());
            } catch (IOException e) {
                // The next file may be there.
            }
        }
        return Optional.empty();
    }
}
