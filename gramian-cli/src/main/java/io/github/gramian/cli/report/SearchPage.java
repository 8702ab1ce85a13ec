package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.Objective;
import io.github.gramian.search.internal.SearchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * One page about a search, {@code leaderboard.html} in the folder of its run: the accuracy-against-cost front and a table of all
 * candidates.
 */
public final class SearchPage {

    private final SearchFolder folder;
    private final String title;
    private final Objective objective;

    /**
     * @param objective what the accuracies are measured on
     */
    public SearchPage(SearchFolder folder, String title, Objective objective) {
        this.folder = folder;
        this.title = title;
        this.objective = objective;
    }

    /** Writes the page as things stand. */
    public void write(Leaderboard board, Leaderboard.Row chosen, double seconds) {
        ObjectNode page = Json.object();
        page.put(
                "what",
                "Chosen: " + chosen.candidate().label() + " ("
                        + chosen.candidate().name() + "), "
                        + Numbers.percent(chosen.accuracy().mean()) + " ± "
                        + Numbers.percent(chosen.accuracy().halfInterval())
                        + (objective == Objective.ROBUST
                                ? " on corrupted copies of left-out training images. "
                                : " in folds of the training images. ")
                        + Numbers.count(board.rows().size(), "candidate") + ", searched for "
                        + Numbers.seconds(seconds) + ".");
        // Only those to choose from are drawn: others cannot be compared with them.
        List<Leaderboard.Row> finalists = board.finalists();
        page.put("images", finalists.isEmpty() ? 0 : finalists.get(0).trial().images());
        for (Leaderboard.Row row : finalists) {
            page.withArrayProperty("candidates")
                    .addObject()
                    .put("rank", row.rank())
                    .put("label", row.candidate().label())
                    .put("chosen", row.rank() == chosen.rank())
                    .put("front", row.front())
                    .put("millis", row.trial().millis())
                    .put("accuracy", row.accuracy().mean())
                    .put("half", row.accuracy().halfInterval());
        }
        for (Leaderboard.Row row : board.rows()) {
            page.withArrayProperty("rows")
                    .addObject()
                    .put("rank", row.rank())
                    .put("label", row.candidate().label())
                    .put("chosen", row.rank() == chosen.rank())
                    .put("images", row.trial().images())
                    .put(
                            "accuracy",
                            spread(row.accuracy().mean(), row.accuracy().halfInterval()))
                    .put("gap", spread(row.behind().mean(), row.behind().error()))
                    .put("millis", Math.round(row.trial().millis()))
                    .put("dimensions", row.trial().dimensions())
                    .put("megabytes", row.trial().modelBytes() >> 20);
        }
        try {
            AtomicFile.writeText(folder.page(), Html.page(title, "search.html", page, "candidates"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Two shares in per cent, such as 88.4 ± 2.3. */
    private static String spread(double share, double error) {
        return Text.format("%.1f ± %.1f", 100 * share, 100 * error);
    }
}
