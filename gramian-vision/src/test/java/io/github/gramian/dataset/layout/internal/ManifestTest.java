package io.github.gramian.dataset.layout.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.Trees;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.tensor.Seed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestTest {

    @TempDir
    Path root;

    private DividedDataset read(String... lines) {
        Trees.text(root.resolve("list.csv"), List.of(lines));
        Layout layout = Layouts.named("csv");
        return layout.open(root.resolve("list.csv"), layout.released(), 1, new Seed(1));
    }

    @Test
    void quoted_fields_and_splits_are_read() {
        DividedDataset dataset = read(
                "\uFEFFpath,label,split",
                "\"a,b.png\",\"say \"\"hi\"\"\",train",
                "./sub//c.png,plain,Validation",
                "",
                "d.png,plain,test");
        assertThat(dataset.classes()).containsExactly("plain", "say \"hi\"");
        assertThat(dataset.samples(Split.TRAIN)).containsExactly(new Sample("a,b.png", "a,b.png", 1));
        assertThat(dataset.samples(Split.VALIDATION)).containsExactly(new Sample("sub/c.png", "sub/c.png", 0));
        assertThat(dataset.samples(Split.TEST)).hasSize(1);
        assertThat(dataset.root()).isEqualTo(root.toAbsolutePath());
        assertThat(dataset.file(dataset.samples().get(0))).isEqualTo(root.resolve("a,b.png"));
    }

    @Test
    void columns_may_come_in_any_order_and_numbers_sort_as_numbers() {
        DividedDataset dataset = read("label,path", "10,a.png", "9,b.png", "10,c.png", "9,d.png");
        assertThat(dataset.classes()).containsExactly("9", "10");
        assertThat(dataset.counts()).containsEntry("train", 2).containsEntry("test", 2);
        assertThat(dataset.describeProtocol()).isEqualTo("released (random-80-20, val kept)");
        assertThat(dataset.protocol().rule().label(dataset.listing(), 1, dataset.seed()))
                .isEqualTo("1 of seed 1");
    }

    @Test
    void a_group_column_keeps_images_of_an_object_on_one_side() {
        List<String> lines = new ArrayList<>(List.of("path,label,group"));
        for (int i = 0; i < 40; i++) {
            lines.add(i + ".png," + (i % 2 == 0 ? "nut" : "bolt") + ",part" + i / 4);
        }
        lines.add("alone.png,nut,");
        DividedDataset dataset = read(lines.toArray(String[]::new));
        assertThat(dataset.describeProtocol())
                .isEqualTo("released (random-80-20, val kept, 10 groups by the column 'group')");
        assertThat(dataset.samples(Split.TEST)).hasSizeBetween(4, 12);
        assertThat(dataset.listing().groups().divided(dataset.partition())).isEmpty();
        assertThat(dataset.listing().groups().names()).hasSize(40).doesNotContainKey("alone.png");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "path,label|a.png|list.csv line 2: expected 2 fields but found 1",
                "path,label|a.png,|list.csv line 2: the label is empty",
                "path,label|../a.png,x|list.csv line 2: '../a.png' leaves the root",
                "path,label|\"a.png,x|a quoted field does not end on its line",
                "path,label|\"a.png\"b,x|expected a comma after a closing quote",
                "path,label|a\".png,x|a quote inside a field",
                "path,splt|a.png,train|has a column 'splt'",
                "path,split|a.png,train|has no column 'label'",
                "path,label,group|a.png,x,one|all images are in one group, 'one'",
                "path,label,Label|a.png,x,y|has two columns of the same name: path,label,label",
                "path,label,split|a.png,x,|'' is not a split",
                "path,label,split|a.png,x,tests|'tests' is not a split"
            })
    void a_wrong_line_is_refused_with_its_place(String header, String line, String message) {
        assertThatThrownBy(() -> read(header, line))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(message);
    }

    @Test
    void an_empty_list_and_a_double_entry_are_refused() {
        assertThatThrownBy(() -> read()).hasMessageContaining("is empty");
        assertThatThrownBy(() -> read("path,label")).hasMessageContaining("no images");
        assertThatThrownBy(() -> read("path,label", "a.png,x", "./a.png,y"))
                .hasMessageContaining("a.png is listed twice");
    }
}
