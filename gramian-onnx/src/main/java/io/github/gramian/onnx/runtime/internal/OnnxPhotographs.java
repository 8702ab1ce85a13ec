package io.github.gramian.onnx.runtime.internal;

import io.github.gramian.dense.internal.Calibration;
import io.github.gramian.dense.internal.PhotoReader;
import io.github.gramian.dense.internal.WholePhoto;
import io.github.gramian.image.codec.RgbImage;
import java.util.Optional;

/** An exported model of good parts: ONNX Runtime computes the map of scores of a whole photograph at once. */
record OnnxPhotographs(GraphSession graph, WholePhoto view, Calibration calibration, Grid grid) implements PhotoReader {

    @Override
    public boolean findsDefects() {
        return true;
    }

    @Override
    public PhotoMap read(RgbImage resized) {
        GraphSession.ScoreMap scores = graph.scores(resized, view.normalisation());
        return new PhotoMap(
                resized.width(),
                resized.height(),
                grid,
                Optional.empty(),
                Optional.of(calibration.judge(scores.values(), scores.columns())));
    }
}
