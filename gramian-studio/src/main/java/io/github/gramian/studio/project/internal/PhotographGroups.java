package io.github.gramian.studio.project.internal;

import io.github.gramian.dataset.internal.NamePattern;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which photographs show the same object: by the labels file, or by a pattern of their paths. */
final class PhotographGroups {

    private final Map<String, String> given;
    private final Optional<NamePattern> pattern;

    /**
     * @param given path → name of its group, empty for none
     * @param pattern regular expression whose first capture group names the object, or null
     */
    PhotographGroups(Map<String, String> given, @Nullable String pattern) {
        this.given = Map.copyOf(given);
        this.pattern = Optional.ofNullable(pattern).map(NamePattern::of);
    }

    /** The name of a photograph's group, if it has one. */
    Optional<String> of(String path) {
        String name = given.getOrDefault(path, "");
        return name.isEmpty() ? pattern.flatMap(names -> names.find(path)) : Optional.of(name);
    }

    /** Numbers of the groups of some photographs; one that stands alone has its own. */
    int[] numbers(List<String> paths) {
        Map<String, Integer> numbers = new HashMap<>();
        int[] found = new int[paths.size()];
        for (int i = 0; i < found.length; i++) {
            String path = paths.get(i);
            String name = of(path).orElse("\0" + path);
            Integer known = numbers.putIfAbsent(name, numbers.size());
            found[i] = known == null ? numbers.size() - 1 : known;
        }
        return found;
    }
}
