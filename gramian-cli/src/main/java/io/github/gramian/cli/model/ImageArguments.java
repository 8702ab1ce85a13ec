package io.github.gramian.cli.model;

import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.FileNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The images that a command works on: files, folders, or paths on standard input. */
final class ImageArguments {

    static final String DESCRIPTION =
            "Image files, or directories that are searched recursively. With - or nothing, one path per line is read from"
                    + " standard input.";

    private static final String STANDARD_INPUT = "-";

    /** Lines of standard input that are worked on together when they come fast. */
    private static final int MAX_LINES = 1024;

    private final List<String> given;
    private final Consumer<String> notes;

    /** @param notes receives a line about the files of a directory that are not read, and about links that are not followed */
    ImageArguments(List<String> given, Consumer<String> notes) {
        this.given = List.copyOf(given);
        this.notes = notes;
    }

    interface Work {
        void on(List<Path> files) throws IOException;
    }

    /** Does the work on all images, in order. Lines of standard input are not waited for once some are there. */
    void each(Work work) throws IOException {
        if (given.isEmpty()) {
            eachLine(work);
            return;
        }
        List<Path> files = new ArrayList<>();
        for (String argument : given) {
            if (argument.equals(STANDARD_INPUT)) {
                if (!files.isEmpty()) {
                    work.on(List.copyOf(files));
                    files.clear();
                }
                eachLine(work);
            } else {
                files.addAll(expanded(FileNames.path(argument)));
            }
        }
        if (!files.isEmpty()) {
            work.on(List.copyOf(files));
        }
    }

    private void eachLine(Work work) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<Path> files = new ArrayList<>();
        for (String line = next(lines); line != null; line = next(lines)) {
            if (!line.isBlank()) {
                files.addAll(expanded(FileNames.path(line)));
            }
            if (!files.isEmpty() && (files.size() >= MAX_LINES || !lines.ready())) {
                work.on(List.copyOf(files));
                files.clear();
            }
        }
        if (!files.isEmpty()) {
            work.on(List.copyOf(files));
        }
    }

    private static @Nullable String next(BufferedReader lines) throws IOException {
        try {
            return lines.readLine();
        } catch (IOException e) {
            throw new IOException(
                    "standard input cannot be read (" + e.getMessage() + "); name image files, or pipe a list of them",
                    e);
        }
    }

    private List<Path> expanded(Path path) {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        List<Path> images = Layouts.images(path, notes);
        if (images.isEmpty()) {
            throw new IllegalArgumentException(path + " contains no images; give files or another directory");
        }
        return images;
    }
}
