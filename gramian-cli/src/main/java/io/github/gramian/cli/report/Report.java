package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * One page about a run, {@code report.html} in its folder: style, program and pictures inside, no request to anywhere. A
 * content security policy forbids everything else, so that a class name cannot run as a script.
 */
public final class Report {

    private static final List<Section> SECTIONS = List.of(
            new CurvesSection(),
            new RidgeSection(),
            new ConfusionSection(),
            new PerClassSection(),
            new ReliabilitySection(),
            new CertaintySection(),
            new RobustnessSection(),
            new MistakesSection(),
            new SuspectsSection(),
            new MapSection(),
            new MatricesSection(),
            new HealthSection(),
            new ProtocolSection(),
            new RecipeSection());

    /** A single class has nothing to confuse it with. */
    private static final List<Section> ONE_CLASS = List.of(
            new CertaintySection(),
            new MapSection(),
            new MatricesSection(),
            new HealthSection(),
            new ProtocolSection(),
            new RecipeSection());

    private Report() {}

    /**
     * Reads what there is in a run's folder and writes the report next to it.
     *
     * @return the path of the report
     * @throws IOException if the report cannot be written; files of the run that are missing or broken are not an error
     */
    public static Path write(Path runFolder) throws IOException {
        Path report = new RunFolder(runFolder).report();
        AtomicFile.writeText(report, page(ShownRun.read(runFolder)));
        return report;
    }

    private static String page(ShownRun run) throws IOException {
        Html links = new Html();
        Html chapters = new Html();
        for (Section section : run.hasOneClass() ? ONE_CLASS : SECTIONS) {
            Html body = new Html();
            section.write(run, body);
            if (!body.isEmpty()) {
                links.raw("<a href=\"#" + section.id() + "\">")
                        .text(capitalised(section.id()))
                        .raw("</a>");
                chapters.raw("<section id=\"" + section.id() + "\"><h2>")
                        .text(section.title())
                        .raw("</h2><p class=\"reading\">")
                        .text(section.reading())
                        .raw("</p>")
                        .raw(body.toString())
                        .raw("</section>\n");
            }
        }
        Html headline = new Html();
        Headline.write(run, headline);
        String script = resource("report.js");
        return new Html()
                .raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                        + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
                        + " 'unsafe-inline'; img-src data:; script-src 'sha256-" + digest(script)
                        + "'; base-uri 'none'; form-action 'none'\">\n"
                        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        + "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        + "<link rel=\"icon\" href=\"data:,\">\n<title>")
                .text(run.name())
                .raw(" – Gramian</title>\n<style>\n" + resource("report.css") + "</style></head>\n<body>\n")
                .raw("<header><div class=\"top\"><h1>")
                .text(run.name())
                .raw("</h1><button type=\"button\" id=\"theme\" aria-label=\"Switch between light and dark\">◐</button>"
                        + "</div>")
                .raw(headline.toString())
                .raw("</header>\n<nav aria-label=\"Chapters\">")
                .raw(links.toString())
                .raw("</nav>\n<main>\n")
                .raw(chapters.toString())
                .raw("</main>\n<footer>Made by Gramian. This page is self-contained and loads nothing from a network."
                        + "</footer>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>" + script
                        + "</script>\n</body></html>\n")
                .toString();
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(
                Report.class.getResourceAsStream(name), () -> name + " is missing from the program's own files")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String digest(String script) {
        try {
            byte[] bytes = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
