package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;

/** The complete recipe. */
final class RecipeSection implements Section {

    @Override
    public String id() {
        return "recipe";
    }

    @Override
    public String title() {
        return "Recipe";
    }

    @Override
    public String reading() {
        return "These are all settings of the run, chosen ones and defaults; the same recipe on the same data gives the"
                + " same model.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        if (!run.recipe().isBlank()) {
            html.raw("<pre tabindex=\"0\"><code>").text(run.recipe().strip()).raw("</code></pre>");
        }
    }
}
