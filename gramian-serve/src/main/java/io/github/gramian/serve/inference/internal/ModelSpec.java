package io.github.gramian.serve.inference.internal;

import io.github.gramian.cli.model.ModelArgument;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model to serve.
 *
 * @param name in addresses
 * @param version in addresses
 * @param file the model's file, or the folder of its run
 */
public record ModelSpec(String name, String version, Path file) {

    /** Of a model that was given without one. */
    public static final String FIRST_VERSION = "1";

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9._-]{1,64})(?::([A-Za-z0-9._-]{1,64}))?=(.+)");

    public ModelSpec {
        requireWord("name", name);
        requireWord("version", version);
    }

    private static void requireWord(String what, String word) {
        if (!WORD.matcher(word).matches() || word.chars().allMatch(letter -> letter == '.')) {
            throw new IllegalArgumentException(
                    "the " + what + " of a model has 1 to 64 letters, digits, '.', '_' or '-',"
                            + " so that it fits into an address; '" + word + "' does not");
        }
    }

    /** Reads {@code name=path}, {@code name:version=path} or a path alone, whose last part then is the name. */
    public static ModelSpec parse(String text) {
        Matcher named = NAMED.matcher(text);
        if (named.matches()) {
            String version = named.group(2);
            return new ModelSpec(named.group(1), version == null ? FIRST_VERSION : version, Path.of(named.group(3)));
        }
        Path path = Path.of(text);
        Path last = path.toAbsolutePath().normalize().getFileName();
        String name = last == null ? "" : last.toString().replaceFirst("\\.(gramian|onnx)$", "");
        if (!WORD.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' gives no name for addresses; name the model, such as fabrics=" + text);
        }
        return new ModelSpec(name, FIRST_VERSION, path);
    }

    Path modelFile() {
        return ModelArgument.file(file);
    }

    @Override
    public String toString() {
        return name + ":" + version;
    }
}
