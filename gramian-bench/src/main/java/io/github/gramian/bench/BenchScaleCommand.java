package io.github.gramian.bench;

import io.github.gramian.bench.scale.OneCore;
import io.github.gramian.bench.scale.PerformancePage;
import io.github.gramian.bench.scale.ScalePlan;
import io.github.gramian.cli.Gramian;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What work costs as it grows. */
@Command(
        name = "scale",
        description = {
            "Measures how time and memory grow with size.",
            "Covers the sizes of the head, and images from file to prediction, on one core and on all cores.",
            "Fits the exponents, and writes performance.md with plots and the cost of predicting 1, 10^4, 10^6 or 10^9",
            "images. Takes some minutes."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  gramian bench scale --out docs", "  gramian bench scale --quick --out trial"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchScaleCommand extends PrintingCommand {

    private static final int MADE_UP = 48;
    private static final int PATIENCE_MINUTES = 30;

    @Option(
            names = "--out",
            description = "Directory for performance.md and its plots (default: ${DEFAULT-VALUE}).",
            defaultValue = "performance")
    private Path out;

    @Option(names = "--quick", description = "Use tiny sizes: a trial of some seconds whose figures mean nothing.")
    private boolean quick;

    @Option(names = "--json", description = "Print the measurements as JSON, in addition to the page.")
    private boolean json;

    @Option(
            names = "--rates",
            hidden = true,
            description = "Only the time of images from file to prediction, as JSON: the part on one core.")
    private boolean rates;

    @Override
    public Integer call() throws IOException {
        PrintWriter results = stdout();
        PrintWriter progress = stderr();
        ScalePlan plan = quick ? ScalePlan.quick() : ScalePlan.full();
        try (SyntheticImages images = SyntheticImages.write(quick ? 2 : MADE_UP)) {
            if (rates) {
                JsonOutput.print(results, plan.path().run(images.files()));
                return 0;
            }
            ScalePlan.Result result = plan.run(images.files(), what -> report(progress, what));
            report(progress, "the same on one core");
            OneCore oneCore = OneCore.measure(Gramian.class.getName(), childArguments(), PATIENCE_MINUTES);
            Path page = new PerformancePage(result, oneCore, command(), quick).write(out);
            if (json) {
                Map<String, Object> all = new LinkedHashMap<>();
                all.put("page", page.toString());
                all.put("result", result);
                all.put("oneCore", oneCore);
                JsonOutput.print(results, all);
            } else {
                results.println(page);
                results.flush();
            }
        }
        return 0;
    }

    private List<String> childArguments() {
        List<String> arguments = new ArrayList<>(List.of("bench", "scale", "--rates"));
        if (quick) {
            arguments.add("--quick");
        }
        return arguments;
    }

    private String command() {
        return "gramian bench scale --out " + out + (quick ? " --quick" : "");
    }

    private static void report(PrintWriter progress, String what) {
        progress.println("measuring " + what);
        progress.flush();
    }
}
