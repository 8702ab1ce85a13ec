package io.github.gramian.recipe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Javadoc of a type, as Markdown.
 *
 * @param summary all before the first tag
 * @param parameters the contents of its {@code @param} tags
 */
record Javadoc(String summary, Map<String, String> parameters) {

    static Javadoc of(Class<?> type) throws IOException {
        Matcher found = Pattern.compile(
                        "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+(?:\\([^)]*\\))?\\s*)*"
                                + "(?:(?:public|private|static|sealed|final) )*(?:record|interface|enum|class) "
                                + type.getSimpleName() + "\\b",
                        Pattern.DOTALL)
                .matcher(source(type));
        if (!found.find()) {
            throw new IllegalStateException(type + " has no Javadoc; describe it");
        }
        String[] parts = plain(found.group(1)).split("@param ", -1);
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] words = parts[i].strip().split("\\s+", 2);
            parameters.put(words[0], words.length > 1 ? words[1] : "");
        }
        return new Javadoc(parts[0].strip(), parameters);
    }

    /** The constants of an enum as recipes spell them, with the description of each, if there is one. */
    static Map<String, String> constants(Class<?> type) throws IOException {
        String source = source(type);
        String body = source.substring(source.indexOf("enum " + type.getSimpleName()));
        Map<String, String> described = new LinkedHashMap<>();
        for (Object constant : type.getEnumConstants()) {
            Matcher found = Pattern.compile(
                            "(?:/\\*\\*((?:(?!\\*/).)*)\\*/\\s*)?\\b" + ((Enum<?>) constant).name() + "\\b",
                            Pattern.DOTALL)
                    .matcher(body);
            String words = found.find() && found.group(1) != null ? plain(found.group(1)) : "";
            described.put(constant.toString().toLowerCase(Locale.ROOT), words);
        }
        return described;
    }

    private static String source(Class<?> type) throws IOException {
        Class<?> outer = type;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        for (String module : new String[] {"gramian-vision", "gramian-core"}) {
            Path file = Path.of("..", module, "src/main/java", outer.getName().replace('.', '/') + ".java");
            if (Files.exists(file)) {
                return Files.readString(file);
            }
        }
        throw new IllegalStateException("no source of " + type);
    }

    private static String plain(String comment) {
        return comment.replaceAll("(?m)^\\s*\\*( |$)", "")
                .replaceAll("\\s+", " ")
                .replaceAll("\\{@code ([^}]*)}", "`$1`")
                .replaceAll("\\{@link #?([^} ]*)}", "`$1`")
                .replace("|", "\\|")
                .replace("<", "&lt;")
                .strip();
    }
}
