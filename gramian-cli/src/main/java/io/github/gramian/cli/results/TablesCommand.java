package io.github.gramian.cli.results;

import io.github.gramian.cli.common.TextFile;
import io.github.gramian.experiment.internal.Results;
import io.github.gramian.io.internal.AtomicFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code gramian tables}: results of grids as tables and figures. */
@Command(
        name = "tables",
        description = {
            "Makes tables of the results of: gramian experiment",
            "Means and deviations over splits and seeds, paired tests against the best method, published figures beside,",
            "cost. Runs with incompatible protocols are in separate tables."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian tables results/",
            "  gramian tables docs/results/raw --findings docs/results/findings.md --out docs/results",
            "  gramian tables results/ --against kernel"
        })
public final class TablesCommand implements Callable<Integer> {

    @Parameters(arity = "1..*", paramLabel = "RESULTS", description = "Folders of: gramian experiment --out")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--out",
            description = "Folder for README.md, a page a dataset and figures. Without it, print README.md.")
    private @Nullable Path out;

    @Option(
            names = "--findings",
            paramLabel = "FILE",
            description = "Markdown that README.md opens with: what you have read from the results.")
    private @Nullable Path findings;

    @Option(
            names = "--against",
            paramLabel = "METHOD",
            description = "Compare the others with this method instead of the best of those with the most runs.")
    private @Nullable String against;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Map<String, String> files = ResultsPage.of(
                Results.read(folders), against, command(), findings == null ? "" : TextFile.read(findings));
        PrintWriter writer = spec.commandLine().getOut();
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

    /** The same again, for whoever reads the page. */
    private String command() {
        return "gramian tables " + folders.stream().map(Path::toString).collect(Collectors.joining(" "))
                + (against == null ? "" : " --against " + against)
                + (findings == null ? "" : " --findings " + findings)
                + (out == null ? "" : " --out " + out);
    }
}
