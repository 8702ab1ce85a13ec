package io.github.gramian.lab.page;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.TextFile;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.lab.grid.Results;
import io.github.gramian.lab.grid.RobustnessResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian tables}: results of grids as tables and figures. */
@Command(
        name = "tables",
        description = {
            "Makes tables and figures of the results of grids.",
            "They contain accuracies with 95 %% intervals over test images and splits, differences to the best method over",
            "shared runs, published figures and cost. Runs with incompatible protocols are in separate tables."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian tables results/",
            "  gramian tables docs/results/raw --datasets docs/results/datasets.yaml --findings docs/results/findings.md"
                    + " --out docs/results",
            "  gramian tables results/ --against kernel"
        })
public final class TablesCommand extends PrintingCommand implements Subcommand {

    @Parameters(arity = "1..*", paramLabel = "RESULTS", description = "Directories from 'gramian experiment --out'.")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--out",
            description =
                    "Directory for README.md, one page per dataset, and figures. If missing, README.md is printed.")
    private @Nullable Path out;

    @Option(
            names = "--datasets",
            paramLabel = "FILE",
            description = "YAML file with titles and descriptions of the datasets, such as the number of classes.")
    private @Nullable Path datasets;

    @Option(
            names = "--findings",
            paramLabel = "FILE",
            description = "Markdown file with your conclusions, which README.md starts with.")
    private @Nullable Path findings;

    @Option(
            names = "--against",
            paramLabel = "METHOD",
            description = "Compare the others with this method instead of the best of those with the most runs.")
    private @Nullable String against;

    @Override
    public Integer call() throws IOException {
        DatasetTitles titles = datasets == null
                ? DatasetTitles.none()
                : DatasetTitles.parse(TextFile.read(datasets), datasets.toString());
        Map<String, String> files = ResultsPage.of(
                Results.read(folders), against, command(), findings == null ? "" : TextFile.read(findings), titles);
        List<RobustnessResult> robustness = RobustnessResult.readAll(folders);
        if (!robustness.isEmpty()) {
            files.put("robustness.md", RobustnessPage.of(robustness, command(), titles));
        }
        PrintWriter writer = stdout();
        if (out == null) {
            writer.print(files.get("README.md"));
        } else {
            for (Map.Entry<String, String> file : files.entrySet()) {
                AtomicFile.writeText(out.resolve(file.getKey()), file.getValue());
                writer.println(out.resolve(file.getKey()));
            }
        }
        writer.flush();
        return 0;
    }

    /** The command that generates the pages again. */
    private String command() {
        return "gramian tables " + folders.stream().map(Path::toString).collect(Collectors.joining(" "))
                + (against == null ? "" : " --against " + against)
                + (datasets == null ? "" : " --datasets " + datasets)
                + (findings == null ? "" : " --findings " + findings)
                + (out == null ? "" : " --out " + out);
    }
}
