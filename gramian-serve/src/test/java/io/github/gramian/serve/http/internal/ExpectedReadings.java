package io.github.gramian.serve.http.internal;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/** Results of the served model without a server, for comparison with answers. */
record ExpectedReadings(BatchPredictor predictor) implements AutoCloseable {

    static final ImageDecoder DECODER = new ImageDecoder(ImageLimits.DEFAULT);

    static ExpectedReadings load() throws IOException {
        return new ExpectedReadings(BatchPredictor.load(SmallModels.first()));
    }

    Reading of(int image) {
        return ofBatch(image).get(0);
    }

    /** Images that are computed together: the size of a batch may change the last bits. */
    List<Reading> ofBatch(int... images) {
        return predictor.read(IntStream.of(images)
                .mapToObj(image -> predictor.prepare(SmallModels.image(image), DECODER))
                .toList());
    }

    int descriptorLength() {
        return predictor.descriptorLength();
    }

    @Override
    public void close() {
        predictor.close();
    }
}
