//! Which programs does the owner let speak, each in a chat of its own?

use super::unavailable;
use crate::socket::KeeperError;
use crate::store::Made;
use crate::token::{self, ChatToken, NewToken, TokenName, Words};
use crate::{House, clock};

impl House {
    /// Makes a token. It is told once; what is kept of it opens nothing.
    pub(super) async fn make_token(
        &self,
        name: TokenName,
        words: Words,
    ) -> Result<NewToken, KeeperError> {
        let text = token::fresh().map_err(unavailable)?;
        let known = ChatToken {
            account: token::account(&name).map_err(unavailable)?,
            name: name.clone(),
            words,
            since: clock::now(),
        };
        let hash = token::hash(text.reveal()).ok_or_else(|| unavailable("it is no token"))?;
        match self
            .store
            .keep_token(known, hash)
            .await
            .map_err(unavailable)?
        {
            Made::NobodysYet => Err(KeeperError::Refused(
                "nobody is the owner yet; open the link that Postern printed first".to_owned(),
            )),
            Made::Taken => Err(KeeperError::Refused(format!(
                "there is a token called {name}; choose another name, or revoke it first"
            ))),
            Made::Yes => Ok(NewToken {
                name,
                words,
                token: text.reveal().clone(),
            }),
        }
    }

    /// Every token that is known.
    pub(super) async fn tokens(&self) -> Result<Vec<ChatToken>, KeeperError> {
        self.store.tokens().await.map_err(unavailable)
    }

    /// Revokes a token. What is said with it from now on is refused, and its open cards close.
    pub(super) async fn revoke_token(&self, name: &str) -> Result<(), KeeperError> {
        let revoked = self.store.revoke_token(name.to_owned(), clock::now());
        match revoked.await.map_err(unavailable)? {
            None => Err(KeeperError::Refused(format!(
                "there is no token called {name:?}; postern token list shows them"
            ))),
            Some(letters) => {
                self.post(letters);
                Ok(())
            }
        }
    }
}
