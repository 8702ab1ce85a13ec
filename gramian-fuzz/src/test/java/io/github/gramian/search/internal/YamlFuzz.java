package io.github.gramian.search.internal;

import io.github.gramian.fuzz.FindingException;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import io.github.gramian.lab.grid.Grid;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Files that users write: recipes, settings, grids, search spaces. */
public final class YamlFuzz {

    private static final int MAX_CANDIDATES = 4;

    private YamlFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(
                target("recipe", () -> files("recipes"), bytes -> readRecipe(scratch.file("recipe.yaml", bytes))),
                target(
                        "setting",
                        () -> Stream.of("stage1.epochs=5", "network.branches.0.size=224", "data.layout='csv'")
                                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                                .toList(),
                        bytes -> RecipeFile.parse("", List.of(new String(bytes, StandardCharsets.UTF_8)))),
                target("grid", () -> files("grids"), bytes -> Grid.read(scratch.file("grid.yaml", bytes))),
                target("space", () -> files("grids/search"), bytes -> readSpace(scratch.file("space.yaml", bytes))));
    }

    private static FuzzTarget target(String name, FuzzTarget.Seeds seeds, FuzzTarget.Reader reader) {
        return FuzzTarget.of(name, seeds, reader, IllegalArgumentException.class);
    }

    private static List<byte[]> files(String folder) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", folder))) {
            List<byte[]> contents = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                contents.add(Files.readAllBytes(file));
            }
            return contents;
        }
    }

    /** Everything that is parsed can be written and parsed again. */
    private static void readRecipe(Path file) throws IOException {
        Recipe recipe = RecipeFile.read(file);
        if (!RecipeFile.parse(RecipeFile.text(recipe), List.of()).equals(recipe)) {
            throw new FindingException("the recipe changes when it is written");
        }
    }

    private static void readSpace(Path file) throws IOException {
        SearchSpace space = SearchSpace.read(file);
        if (space.inputs().size() * space.heads().size() <= MAX_CANDIDATES) {
            space.candidates(List.of());
        }
    }
}
