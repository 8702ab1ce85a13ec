package io.github.gramian.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a {@link Subcommand} that belongs below a command of another module, such as {@code bench}. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Below {

    /** Name of the command above it. */
    String value();
}
