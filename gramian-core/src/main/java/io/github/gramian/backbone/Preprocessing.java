package io.github.gramian.backbone;

/** How pixels must be normalised before a network sees them; weights are useless with the other convention. */
public enum Preprocessing {
    /** Blue, green, red in 0–255, minus the mean pixel (103.939, 116.779, 123.68). */
    CAFFE,
    /** Red, green, blue in 0–1, minus (0.485, 0.456, 0.406), divided by (0.229, 0.224, 0.225). */
    TORCHVISION;

    /** The name used in files and settings. */
    public String key() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
