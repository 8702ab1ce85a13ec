package io.github.gramian.similar;

import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.cli.model.ModelArgument;
import io.github.gramian.cli.model.PredictionFormat;
import io.github.gramian.cli.report.GalleryPage;
import io.github.gramian.cli.report.GalleryPage.Card;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.Duplicates;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian similar}: searches an index of photographs. */
@Command(
        name = "similar",
        description = {
            "Finds the photographs of an index that are most similar.",
            "The similarity lies between -1 and 1. Photographs with the same content have 1.",
            "With --duplicates, lists photographs that show the same: copies that were re-encoded, resized or cropped.",
            "With --verify, compares every byte of the index with its checksums. Exits with 1 if the index is damaged."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian similar photos.index new.jpg --top 20",
            "  gramian similar photos.index new.jpg --filter label=oak --format html --out found.html",
            "  gramian similar photos.index --duplicates --format csv > copies.csv"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class SimilarCommand extends PrintingCommand implements Subcommand {

    private static final int DAMAGED = 1;

    @Parameters(index = "0", paramLabel = "INDEX", description = "Directory from 'gramian index'.")
    private Path index;

    @Parameters(index = "1", arity = "0..1", paramLabel = "PHOTO", description = "Photograph to compare with.")
    private @Nullable Path photo;

    @Option(names = "--top", defaultValue = "20", description = "Number of photographs (default: ${DEFAULT-VALUE}).")
    private int top;

    @Option(
            names = "--filter",
            paramLabel = "FIELD=VALUE",
            description = "Restricts the results: label=NAME, path=START*, hash=SHA256, after=DAY or before=DAY, with"
                    + " DAY as in 2025-01-31. Filters of one field are alternatives.")
    private List<String> filters = new ArrayList<>();

    @Option(
            names = "--format",
            defaultValue = "text",
            description = "text, jsonl, csv or html (default: ${DEFAULT-VALUE}).")
    private MatchFormat format;

    @Option(names = "--out", paramLabel = "FILE", description = "File to write (default: standard output).")
    private @Nullable Path out;

    @Option(
            names = "--model",
            description = "The model of the index. Needed only if it was moved since the index was created.")
    private @Nullable Path model;

    @Option(names = "--duplicates", description = "List pairs of photographs that show the same.")
    private boolean duplicates;

    @Option(names = "--verify", description = "Compare every byte of the index with its checksums.")
    private boolean verify;

    @Option(names = "--quiet", description = "Do not print progress and notes.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        long tasks = Stream.of(photo != null, duplicates, verify)
                .filter(task -> task)
                .count();
        if (tasks != 1) {
            throw new IllegalArgumentException("give either a photograph, or --duplicates, or --verify");
        }
        if (verify) {
            return verified();
        }
        try (ImageIndex opened =
                model == null ? ImageIndex.open(index) : ImageIndex.open(index, ModelArgument.file(model))) {
            if (!quiet && !opened.isComplete()) {
                stderr().println("note: the index is incomplete; continue with: gramian index " + opened.root()
                        + " --model M --out " + index);
            }
            String answer = photo == null ? copies(opened) : found(opened, photo);
            if (!quiet && !opened.limitation().isEmpty()) {
                stderr().println("note: " + opened.limitation());
            }
            write(answer);
        }
        return 0;
    }

    private int verified() throws IOException {
        Verification verification = Verification.of(new IndexFolder(index));
        PrintWriter text = stdout();
        verification.problems().forEach(text::println);
        text.println(index + ": " + Numbers.count(verification.files(), "file") + " verified, "
                + (verification.problems().isEmpty()
                        ? "no damage"
                        : Numbers.count(verification.problems().size(), "problem")));
        text.flush();
        return verification.problems().isEmpty() ? 0 : DAMAGED;
    }

    private void write(String text) throws IOException {
        if (out == null) {
            PrintWriter writer = stdout();
            writer.print(text);
            writer.flush();
        } else {
            AtomicFile.writeText(out, text);
        }
    }

    private String found(ImageIndex opened, Path query) throws IOException {
        List<ImageIndex.Match> matches = opened.similar(query, top, filters.toArray(String[]::new));
        if (format == MatchFormat.HTML) {
            List<Card> cards = matches.stream()
                    .map(match -> new Card(
                            relative(opened, match.file()),
                            match.label().isEmpty()
                                    ? String.valueOf(match.file().getFileName())
                                    : match.label(),
                            "",
                            Text.format("%.3f", match.similarity())))
                    .toList();
            return new GalleryPage(
                            opened.root(),
                            "Similar photographs",
                            "Photographs most similar to " + FileNames.text(query) + ", among "
                                    + Numbers.count(opened.count()) + ".")
                    .section("Found", "The number is the similarity, at most 1.", cards, cards.size())
                    .html();
        }
        // Similarity first in text, where the width of names differs.
        boolean text = format == MatchFormat.TEXT;
        return format.lines(
                List.of("file", "similarity"),
                matches.stream()
                        .map(match -> text
                                ? List.<Object>of(match.similarity(), FileNames.text(match.file()))
                                : List.<Object>of(FileNames.text(match.file()), match.similarity()))
                        .toList());
    }

    private static String relative(ImageIndex opened, Path file) {
        return FileNames.text(opened.root().relativize(file));
    }

    private String copies(ImageIndex opened) throws IOException {
        List<Duplicates.Pair> pairs;
        try (Progress progress = new Progress("comparing", "images", opened.count(), stderr(), quiet)) {
            pairs = new Duplicates(opened.vectors(), Runtime.getRuntime().availableProcessors()).find(progress::done);
        }
        if (format == MatchFormat.HTML) {
            List<Card> cards = pairs.stream()
                    .flatMap(pair -> Stream.of(
                            new Card(pair.file(), kind(pair), "", ""), new Card(pair.other(), kind(pair), "", "")))
                    .toList();
            return new GalleryPage(
                            opened.root(),
                            "Duplicates",
                            Numbers.count(pairs.size(), "pair") + " among "
                                    + Numbers.count(opened.count(), "photograph") + ".")
                    .section("Pairs", "Each pair of neighbours on this page shows the same.", cards, cards.size())
                    .html();
        }
        return format.lines(
                List.of("file", "other", "kind", "correlation"),
                pairs.stream()
                        .map(pair -> List.<Object>of(pair.file(), pair.other(), kind(pair), pair.correlation()))
                        .toList());
    }

    private static String kind(Duplicates.Pair pair) {
        return pair.identical() ? "identical" : "near";
    }

    /** How photographs that were found are printed, one line each. */
    enum MatchFormat {
        /** For people. */
        TEXT,
        /** An object of JSON per line. */
        JSONL,
        /** A table as RFC 4180 describes it, with names of the columns in the first line. */
        CSV,
        /** A page with thumbnails. */
        HTML;

        private static String word(Object value) {
            return value instanceof Number number ? Text.format("%.4f", number.doubleValue()) : value.toString();
        }

        /** All lines of some results, after the names of the columns if the format has them. */
        String lines(List<String> names, List<List<Object>> rows) {
            Stream<String> header = this == CSV ? Stream.of(String.join(",", names)) : Stream.empty();
            return Stream.concat(header, rows.stream().map(row -> line(names, row)))
                    .map(line -> line + "\n")
                    .collect(Collectors.joining());
        }

        private String line(List<String> names, List<Object> row) {
            Stream<String> words = row.stream().map(MatchFormat::word);
            return switch (this) {
                case TEXT -> words.collect(Collectors.joining("  "));
                case CSV -> words.map(PredictionFormat::quoted).collect(Collectors.joining(","));
                case JSONL -> {
                    Map<String, Object> members = new LinkedHashMap<>();
                    IntStream.range(0, row.size()).forEach(i -> members.put(names.get(i), row.get(i)));
                    yield Json.text(members);
                }
                case HTML -> throw new IllegalStateException("a page has no lines");
            };
        }
    }
}
