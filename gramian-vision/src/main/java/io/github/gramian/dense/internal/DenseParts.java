package io.github.gramian.dense.internal;

import io.github.gramian.backbone.ConvolutionalBackbone;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Scope;
import java.util.Optional;

/**
 * What a model stores for whole photographs. {@link DenseFile} reads and writes it.
 *
 * @param view how large photographs are
 * @param classes for maps of classes
 * @param surface for defects
 */
public record DenseParts(WholePhoto view, Optional<ClassMap> classes, Optional<Surface> surface) {

    public DenseParts {
        if (classes.isPresent() == surface.isPresent()) {
            throw new IllegalArgumentException("a model has either a map of classes or a surface of good parts");
        }
    }

    /** Where the cells of a head's maps are: those of its first layer, which has the finest grid. */
    public static PhotoReader.Grid grid(ConvolutionalBackbone backbone, WholePhoto.Head head) {
        String tap = head.taps().get(0);
        return new PhotoReader.Grid(backbone.firstCentre(tap), backbone.tap(tap).stride());
    }

    /** Reads photographs with LibTorch. The backbone must remain open. */
    public PhotoReader on(ConvolutionalBackbone backbone) {
        return new PhotoReader() {

            @Override
            public WholePhoto view() {
                return view;
            }

            @Override
            public boolean findsDefects() {
                return surface.isPresent();
            }

            @Override
            public PhotoMap read(RgbImage resized) {
                PhotoReader.Grid grid = grid(
                        backbone, classes.<WholePhoto.Head>map(head -> head).orElseGet(surface::orElseThrow));
                try (Scope scope = Scope.open()) {
                    return new PhotoMap(
                            resized.width(),
                            resized.height(),
                            grid,
                            classes.map(head -> head.cells(
                                    view.reduced(backbone, resized, head).get(0))),
                            surface.map(head -> head.judge(view.reduced(backbone, resized, head))));
                }
            }
        };
    }
}
