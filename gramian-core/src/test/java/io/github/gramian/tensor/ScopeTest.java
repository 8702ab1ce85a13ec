package io.github.gramian.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

class ScopeTest {

    @Test
    void a_scope_frees_what_was_made_inside_it() {
        Tensor inside;
        try (Scope scope = Scope.open()) {
            inside = torch.ones(3);
            assertThat(inside.isNull()).isFalse();
        }
        assertThat(inside.isNull()).isTrue();
    }

    @Test
    void a_promoted_tensor_belongs_to_the_enclosing_scope() {
        Tensor promoted;
        try (Scope outer = Scope.open()) {
            try (Scope inner = Scope.open()) {
                promoted = inner.promote(torch.ones(3));
            }
            assertThat(promoted.sum().item_double()).isEqualTo(3);
        }
        assertThat(promoted.isNull()).isTrue();
    }

    @Test
    void a_tensor_promoted_out_of_the_outermost_scope_remains_alive() {
        Tensor promoted;
        try (Scope only = Scope.open()) {
            promoted = only.promote(torch.ones(3));
        }
        assertThat(promoted.sum().item_double()).isEqualTo(3);
    }

    @Test
    void an_owned_tensor_lives_until_it_is_disowned() {
        Tensor owned;
        try (Scope scope = Scope.open()) {
            owned = Scope.own(torch.ones(3));
        }
        assertThat(owned.sum().item_double()).isEqualTo(3);
        Scope.disown(owned);
        assertThat(owned.isNull()).isTrue();
    }

    @Test
    void an_owned_part_of_a_tuple_outlives_the_tuple() {
        Tensor q;
        try (Scope scope = Scope.open()) {
            q = Scope.own(torch.linalg_qr(torch.eye(4)).get0());
        }
        assertThat(q.abs().sum().item_double()).isEqualTo(4);
        Scope.disown(q);
    }
}
