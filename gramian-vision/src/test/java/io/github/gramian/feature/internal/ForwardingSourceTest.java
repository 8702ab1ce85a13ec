package io.github.gramian.feature.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ForwardingSourceTest {

    /** A method that is not forwarded falls back to the interface's default and loses what the source knows. */
    @Test
    void every_method_but_the_order_is_forwarded() {
        assertThat(names(ForwardingSource.class))
                .containsAll(names(BatchSource.class).stream()
                        .filter(name -> !name.equals("inOrder"))
                        .toList());
    }

    private static Set<String> names(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .map(Method::getName)
                .collect(Collectors.toSet());
    }
}
