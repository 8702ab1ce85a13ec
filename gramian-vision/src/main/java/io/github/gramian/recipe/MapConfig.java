package io.github.gramian.recipe;

/**
 * A map of classes, which a model stores in addition: which class is where on a whole photograph.
 *
 * @param layer layer whose features are classified: {@code none} for no map, {@code middle} for the deepest layer with one cell
 *     per 16 pixels, or the name of a layer
 * @param window side of the square of cells that is averaged around each cell; an odd number
 */
public record MapConfig(String layer, int window) {

    private static final String NONE = "none";
    private static final String MIDDLE = "middle";

    public MapConfig {
        if (layer.isBlank()) {
            throw new IllegalArgumentException("map.layer must be none, middle or the name of a layer, such as res4f");
        }
        if (window < 1 || window > 255 || window % 2 == 0) {
            throw new IllegalArgumentException("map.window must be an odd number in 1..255 but is " + window);
        }
    }

    /** Whether the model gets a map. */
    public boolean wanted() {
        return !layer.equals(NONE);
    }

    /** Whether the layer follows from the backbone. */
    public boolean takesMiddle() {
        return layer.equals(MIDDLE);
    }
}
