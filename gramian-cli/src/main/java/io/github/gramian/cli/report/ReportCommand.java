package io.github.gramian.cli.report;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code gramian report}: the page about a run. */
@Command(
        name = "report",
        description = {
            "Writes report.html into a run directory.",
            "The page is one file and needs no network.",
            "A training does so itself; this does it again, also while the training is under way."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  gramian report runs/first"})
public final class ReportCommand extends PrintingCommand {

    @Parameters(paramLabel = "RUN", description = "Run directory, or a directory from 'gramian evaluate --out'.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path run;

    @Override
    public Integer call() throws IOException {
        RunFolder folder = new RunFolder(run);
        if (!Files.exists(folder.recipe()) && !Files.exists(folder.scores())) {
            throw new IllegalArgumentException(
                    run + " is not a run: it has neither recipe.yaml nor scores.json; give the"
                            + " directory of: gramian train --out");
        }
        PrintWriter out = stdout();
        out.println("report: " + Report.write(run));
        out.flush();
        return 0;
    }
}
