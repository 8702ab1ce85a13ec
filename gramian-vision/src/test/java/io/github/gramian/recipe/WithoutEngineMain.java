package io.github.gramian.recipe;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.List;

/** Reads the standard recipe and divides a dataset; the folder of its images is the only argument. */
public final class WithoutEngineMain {

    private WithoutEngineMain() {}

    public static void main(String[] arguments) {
        Recipe recipe = RecipeFile.parse("data: {validation: 0.25}", List.of("seed=3"))
                .on(Path.of(arguments[0]).toString(), "weights.safetensors");
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()).child("data"));
        for (Split split : Split.values()) {
            System.out.println(split + " " + dataset.samples(split).size());
        }
        System.out.println(RecipeFile.text(recipe).lines().count() + " lines");
    }
}
