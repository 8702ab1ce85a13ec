package io.github.gramian.cli.search;

import io.github.gramian.io.internal.Text;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.SearchEvent;
import io.github.gramian.search.internal.SearchListener;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The live leaderboard: a line for each trial, and the five best after it. */
final class SearchProgress implements SearchListener {

    private static final int SHOWN = 5;

    private final PrintWriter out;
    private final boolean quiet;

    SearchProgress(PrintWriter out, boolean quiet) {
        this.out = out;
        this.quiet = quiet;
    }

    @Override
    public void onEvent(SearchEvent event) {
        if (quiet) {
            return;
        }
        if (event instanceof SearchEvent.Started started) {
            out.println(started.candidate().label() + " on " + started.images() + " images ("
                    + started.candidate().name() + ")");
        } else if (event instanceof SearchEvent.Scored scored) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %.2f %% after %s",
                    100 * scored.trial().accuracy(),
                    Text.duration(scored.seconds())));
            table(scored.board().rows().stream().limit(SHOWN).toList()).forEach(out::println);
        } else if (event instanceof SearchEvent.Decided decided) {
            out.println(decided.sentence());
        }
        out.flush();
    }

    static List<String> table(List<Leaderboard.Row> rows) {
        return Stream.concat(
                        Stream.of(String.format(
                                Locale.ROOT,
                                "  %4s  %-16s %7s %9s %10s %9s  %s",
                                "rank",
                                "accuracy",
                                "images",
                                "ms/image",
                                "dimensions",
                                "model",
                                "candidate")),
                        rows.stream().map(SearchProgress::line))
                .toList();
    }

    private static String line(Leaderboard.Row row) {
        return String.format(
                Locale.ROOT,
                "  %4d  %6.2f ± %.2f %% %8d %9.1f %,10d %6d MB  %s",
                row.rank(),
                100 * row.accuracy().mean(),
                100 * row.accuracy().halfInterval(),
                row.trial().images(),
                row.trial().millis(),
                row.trial().dimensions(),
                row.trial().modelBytes() >> 20,
                row.candidate().name());
    }
}
