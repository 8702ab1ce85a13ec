package io.github.gramian.serve.protocol.internal;

import static io.github.gramian.serve.protocol.internal.Requests.joined;
import static io.github.gramian.serve.protocol.internal.Requests.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormImageTest {

    private static final byte[] CONTENT = {1, 13, 10, 45, 45, 88, 13, 10, 45, 45, 0, 13, 10};

    private static byte[] form() {
        return joined(
                utf8("--X1\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nimage\r\n"),
                utf8("--X1\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n"),
                utf8("Content-Type: image/jpeg\r\n\r\n"),
                CONTENT,
                utf8("\r\n--X1--\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/form-data; boundary=X1",
                "multipart/form-data; boundary=\"X1\"",
                "Multipart/Form-Data;charset=utf-8; Boundary=X1; other=2"
            })
    void the_field_image_is_found_with_all_its_bytes(String type) {
        assertThat(FormImage.isForm(type)).isTrue();
        assertThat(FormImage.in(form(), type)).isEqualTo(CONTENT);
    }

    @Test
    void forms_without_it_are_refused() {
        String type = "multipart/form-data; boundary=X1";
        byte[] form = form();
        for (int length = 0; length < form.length - 8; length++) {
            byte[] cut = java.util.Arrays.copyOf(form, length);
            assertThatThrownBy(() -> FormImage.in(cut, type))
                    .as("%d bytes", length)
                    .isInstanceOf(RequestException.class);
        }
        assertThatThrownBy(() -> FormImage.in(form, "multipart/form-data")).hasMessageContaining("boundary");
        assertThatThrownBy(() -> FormImage.in(form, "multipart/form-data; boundary=Y"))
                .hasMessageContaining("curl -F");
    }
}
