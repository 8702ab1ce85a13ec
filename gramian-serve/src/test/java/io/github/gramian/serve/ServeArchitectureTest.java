package io.github.gramian.serve;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.ArchitecturePage;
import io.github.gramian.Leaks;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ServeArchitectureTest {

    @TestFactory
    Stream<DynamicTest> packages_import_what_their_row_of_the_page_allows() {
        return ArchitecturePage.rules("gramian-serve");
    }

    @Test
    void the_server_never_touches_the_engine_itself() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.bytedeco..")
                .check(ArchitecturePage.classes());
    }

    @Test
    void the_protocol_and_the_batches_know_nothing_of_http() {
        noClasses()
                .that()
                .resideInAnyPackage("..serve.protocol..", "..serve.inference..", "..serve.client..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..")
                .check(ArchitecturePage.classes());
    }

    @Test
    void no_visible_member_of_a_type_for_users_mentions_an_internal_type() {
        assertThat(Leaks.in(ArchitecturePage.classes())).isEmpty();
    }
}
