package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.internal.Folds;
import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.RandomPerClass;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * KTH-TIPS, grey or in colour: {@code <class>/NN-scale_S_im_I_grey.png}, 81 images of each of ten materials at nine scales.
 */
final class KthTipsLayout extends Layout {

    private static final Pattern IMAGE = Pattern.compile("\\d+-scale_\\d+_im_\\d+_(grey|col)\\.png");

    KthTipsLayout() {
        super("kth-tips", "KTH-TIPS", new OfficialSize(10, 810));
    }

    @Override
    public Optional<String> complaint(Path root) {
        List<Path> materials = materials(root);
        if (materials.isEmpty()) {
            return Optional.of("no <class>/NN-scale_S_im_I_grey.png such as sponge/21-scale_1_im_1_grey.png");
        }
        return ClassFoldersLayout.otherThan(materials, root)
                .map(folder -> folder + "/ holds images but none named like 21-scale_1_im_1_grey.png");
    }

    @Override
    public Listing list(Path root) {
        return ClassFoldersLayout.listing(root, materials(root));
    }

    private static List<Path> materials(Path root) {
        return ImageTree.folders(root).stream()
                .filter(folder -> ImageTree.files(folder).stream()
                        .anyMatch(name -> IMAGE.matcher(name).matches()))
                .toList();
    }

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol(
                        "standard",
                        new RandomPerClass(40),
                        new Validation.Unchanged(),
                        "40 random images of each class train, 41 test, ten repeats"),
                new Protocol(
                        "paper",
                        new Folds(3),
                        new Validation.Unchanged(),
                        "the paper's treatment of textures: random thirds, two train and one tests"));
    }
}
