package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.internal.Listing;
import io.github.gramian.dataset.internal.PhysicalSamples;
import io.github.gramian.dataset.internal.Protocol;
import io.github.gramian.dataset.internal.Validation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** KTH-TIPS-2b: {@code <class>/sample_{a,b,c,d}/*.png}, four physical samples of each of eleven materials. */
final class KthTips2bLayout extends Layout {

    private static final Set<String> SAMPLES = Set.of("sample_a", "sample_b", "sample_c", "sample_d");

    KthTips2bLayout() {
        super("kth-tips-2b", "KTH-TIPS-2b", new OfficialSize(11, 4752));
    }

    @Override
    public Optional<String> complaint(Path root) {
        List<Path> materials = materials(root);
        if (materials.isEmpty()) {
            return Optional.of("no <class>/sample_a/; expected <class>/sample_{a,b,c,d}/*.png");
        }
        return ClassFoldersLayout.otherThan(materials, root).map(folder -> folder + "/ holds images but no sample_a/");
    }

    @Override
    public Listing list(Path root) {
        List<Path> materials = materials(root);
        ListingBuilder listing =
                new ListingBuilder(materials.stream().map(ImageTree::name).toList());
        for (Path material : materials) {
            for (Path sample : sampleFolders(material)) {
                listing.addAll(root, sample, ImageTree.name(material), materials)
                        .forEach(path -> listing.physicalSample(path, ImageTree.name(sample)));
            }
        }
        return listing.build();
    }

    private static List<Path> materials(Path root) {
        return ImageTree.folders(root).stream()
                .filter(folder -> !sampleFolders(folder).isEmpty())
                .toList();
    }

    private static List<Path> sampleFolders(Path material) {
        return ImageTree.folders(material).stream()
                .filter(folder -> SAMPLES.contains(ImageTree.name(folder)))
                .toList();
    }

    @Override
    public List<Protocol> protocols() {
        return List.of(
                new Protocol(
                        "standard",
                        new PhysicalSamples(3),
                        new Validation.Unchanged(),
                        "three samples train and one tests, four splits, as newer tables do"),
                new Protocol(
                        "paper",
                        new PhysicalSamples(1),
                        new Validation.Unchanged(),
                        "one sample trains and three test, four splits"));
    }
}
