package io.github.gramian.image.codec;

import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadProgressListener;

/** Runs an action whenever a reader reports progress, which is after about every row. */
record ProgressListener(Runnable action) implements IIOReadProgressListener {

    @Override
    public void imageProgress(ImageReader source, float percentageDone) {
        action.run();
    }

    @Override
    public void imageStarted(ImageReader source, int imageIndex) {
        action.run();
    }

    @Override
    public void sequenceStarted(ImageReader source, int minIndex) {}

    @Override
    public void sequenceComplete(ImageReader source) {}

    @Override
    public void imageComplete(ImageReader source) {}

    @Override
    public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

    @Override
    public void thumbnailProgress(ImageReader source, float percentageDone) {}

    @Override
    public void thumbnailComplete(ImageReader source) {}

    @Override
    public void readAborted(ImageReader source) {}
}
