package io.github.gramian.image.codec.internal;

/**
 * By how much a JPEG may be reduced while it is decoded, which takes a fraction of the time: libjpeg leaves out the
 * frequencies that resizing would remove anyway. As Pillow's {@code draft} with a reducing gap of 2.
 */
@FunctionalInterface
public interface Reduction {

    /** Every pixel. */
    Reduction NONE = (width, height) -> 1;

    /** What must be left for resizing to remove: twice the wanted size, so that its filter decides what the result looks like. */
    int GAP = 2;

    /** 1, 2, 4 or 8 for an upright image of this size; it becomes ⌈width/r⌉ × ⌈height/r⌉. */
    int of(int width, int height);

    /** The largest that leaves at least {@value #GAP} times the wanted size. */
    static int leaving(int width, int height, int wantedWidth, int wantedHeight) {
        int reduction = 8;
        while (reduction > 1
                && (width < (long) GAP * reduction * wantedWidth || height < (long) GAP * reduction * wantedHeight)) {
            reduction /= 2;
        }
        return reduction;
    }
}
