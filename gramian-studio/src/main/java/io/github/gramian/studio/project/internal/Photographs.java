package io.github.gramian.studio.project.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.layout.internal.Layouts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The photographs of a directory by their numbers, from 0. No other file can be named. */
public final class Photographs {

    private final List<Path> files = new ArrayList<>();
    private final List<String> paths = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    private Photographs() {}

    /**
     * Lists a directory.
     *
     * @param base directory that paths in the labels file start from
     * @param notes receives sentences about what was left out
     */
    public static Photographs in(Path directory, Path base, Consumer<String> notes) {
        Photographs found = new Photographs();
        int odd = 0;
        for (Path file : Layouts.images(directory, notes)) {
            String path = base.relativize(file.toAbsolutePath().normalize())
                    .toString()
                    .replace(file.getFileSystem().getSeparator(), "/");
            if (path.chars().anyMatch(c -> Character.isISOControl(c) || c == '\\' || c == 0xFFFD)) {
                odd++;
            } else {
                found.numbers.put(path, found.files.size());
                found.files.add(file);
                found.paths.add(path);
            }
        }
        if (odd > 0) {
            notes.accept("a labels file cannot store the names of some photographs (" + odd + "); rename them");
        }
        if (found.files.isEmpty()) {
            throw new DatasetException(directory + " holds no photographs");
        }
        return found;
    }

    public int count() {
        return files.size();
    }

    public List<Path> files() {
        return List.copyOf(files);
    }

    public Path file(int number) {
        return files.get(checked(number));
    }

    /** Its path as the labels file has it. */
    public String path(int number) {
        return paths.get(checked(number));
    }

    public List<String> paths() {
        return List.copyOf(paths);
    }

    /** The place of each photograph in a list of files, or -1. */
    int[] places(List<Path> list) {
        Map<Path, Integer> places = new HashMap<>();
        list.forEach(file -> places.put(file.toAbsolutePath().normalize(), places.size()));
        return files.stream()
                .mapToInt(file -> places.getOrDefault(file.toAbsolutePath().normalize(), -1))
                .toArray();
    }

    /** The number of a path; -1 if there is no such photograph. */
    int number(String path) {
        return numbers.getOrDefault(path, -1);
    }

    private int checked(int number) {
        if (number < 0 || number >= files.size()) {
            throw new IllegalArgumentException("photographs are numbered 0.." + (files.size() - 1) + ", not " + number);
        }
        return number;
    }
}
