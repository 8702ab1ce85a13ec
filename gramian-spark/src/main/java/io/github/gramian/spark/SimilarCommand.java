package io.github.gramian.spark;

import io.github.gramian.json.internal.Json;
import io.github.gramian.spark.index.SearchJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "similar",
        description =
                "Finds the photographs of an index that are most similar to one, or to each of a described table. All parts"
                        + " are searched in parallel.",
        mixinStandardHelpOptions = true)
final class SimilarCommand implements Callable<Integer> {

    enum Format {
        text,
        jsonl
    }

    @Parameters(index = "0", paramLabel = "INDEX", description = "Directory that index has written.")
    private String index = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PHOTO",
            description = "Photograph to compare with, on the driver's disk.")
    private @Nullable Path photo;

    @Option(names = "--queries", paramLabel = "TABLE", description = "Table of described images to compare with.")
    private @Nullable String queries;

    @Option(
            names = "--out",
            paramLabel = "RESULT",
            description = "With --queries: new directory for a table of query, rank, name, label and similarity.")
    private @Nullable String out;

    @Option(names = "--top", defaultValue = "20", description = "Number of photographs per query (default: 20).")
    private int top;

    @Option(
            names = "--filter",
            paramLabel = "FIELD=VALUE",
            description = "Restricts the results: label=NAME or path=START*. Filters of one field are alternatives.")
    private List<String> filters = new ArrayList<>();

    @Option(names = "--format", defaultValue = "text", description = "With PHOTO: text or jsonl (default: text).")
    private Format format = Format.text;

    @Option(
            names = "--model",
            description = "The model of the index. Needed only if it was moved since the index was built.")
    private @Nullable String model;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        if ((photo == null) == (queries == null) || (queries == null) != (out == null)) {
            throw new IllegalArgumentException("give either a photograph, or --queries with --out");
        }
        PrintWriter text = spec.commandLine().getOut();
        try (SparkSession spark = Main.session("gramian similar " + index, Main.FEW_FAILURES)) {
            SearchJob search = new SearchJob(spark, index, top, filters);
            if (photo != null) {
                search.similar(Files.readAllBytes(photo), model).forEach(hit -> text.println(line(hit)));
            } else if (queries != null && out != null) {
                SearchJob.Summary summary = search.similar(queries, out);
                text.printf(
                        Locale.ROOT,
                        "%d queries answered, %d without a usable descriptor%n",
                        summary.queries(),
                        summary.rejected());
            }
        }
        text.flush();
        return 0;
    }

    private String line(SearchJob.Hit hit) {
        return format == Format.jsonl
                ? Json.text(Json.members(Map.entry("name", hit.name()), Map.entry("similarity", hit.similarity())))
                : String.format(Locale.ROOT, "%.4f  %s", hit.similarity(), hit.name());
    }
}
